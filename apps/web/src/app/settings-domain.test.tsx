import { act, screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { beforeEach, expect, it } from 'vitest';
import { aSnapshot } from '@/features/status-page/fixtures';
import { renderApp, signedIn } from './testing';
import type { OrganisationDomain } from '@/api/types';
import { endpoints, paths } from '@/paths';
import { FakeSocket } from '@/testing/fake-socket';
import { apiUrl, problem, server, settings, success } from '@/testing/server';

/** As others than admins see it. */
const withoutToken: OrganisationDomain = {
  name: 'status.acme.example',
  status: 'PENDING',
  checkedAt: null,
  checkUrl: 'https://status.acme.example/.well-known/allclear-domain',
};
const pending: OrganisationDomain = { ...withoutToken, token: 'a-token-to-serve' };
const verified: OrganisationDomain = {
  ...pending,
  status: 'VERIFIED',
  checkedAt: '2026-01-01T00:00:00.000Z',
};

/** Serves the settings with a domain, and the calls that change it. */
function serve(domain: OrganisationDomain | null, url = settings.url) {
  const state = { domain, name: settings.name, version: 1, claimed: [] as unknown[] };
  const change = (next: OrganisationDomain | null) => {
    state.domain = next;
    state.version += 1;
    return success(next);
  };
  server.use(
    http.get(apiUrl(endpoints.organisationSettings), () =>
      success(
        { ...settings, url, name: state.name, domain: state.domain },
        { etag: `"${state.version}"` },
      ),
    ),
    http.put(apiUrl(endpoints.organisationDomain.item), async ({ request }) => {
      state.claimed.push(await request.json());
      return change(pending);
    }),
    http.post(apiUrl(endpoints.organisationDomain.verify), () => change(verified)),
    http.delete(apiUrl(endpoints.organisationDomain.item), () => change(null)),
  );
  return state;
}

beforeEach(() => {
  server.use(http.get(apiUrl(endpoints.status('org-1')), () => success(aSnapshot())));
});

it('adds a domain, shows its token, verifies and removes it', async () => {
  const state = serve(null);
  const { user } = renderApp(paths.settings);
  await user.type(await screen.findByRole('textbox', { name: 'Domain' }), 'status.acme.example');
  await user.click(screen.getByRole('button', { name: 'Add Domain' }));
  expect(await screen.findByText('a-token-to-serve')).toBeInTheDocument();
  expect(screen.getByText(pending.checkUrl)).toBeInTheDocument();
  const record = screen.getByRole('textbox', { name: 'CNAME of status.acme.example' });
  expect(record).toHaveValue('status.example.com');
  expect(screen.getByText('Pending')).toBeInTheDocument();
  expect(state.claimed).toEqual([{ name: 'status.acme.example' }]);
  // The pressed buttons are gone.
  const card = screen.getByText('a-token-to-serve').closest('section');
  await waitFor(() => expect(card).toHaveFocus());

  await user.click(screen.getByRole('button', { name: 'Verify' }));
  const link = await screen.findByRole('link', { name: 'status.acme.example' });
  expect(link).toHaveAttribute('href', 'https://status.acme.example');
  expect(screen.getByText('Verified')).toBeInTheDocument();
  expect(screen.queryByText('a-token-to-serve')).not.toBeInTheDocument();
  await waitFor(() => expect(card).toHaveFocus());

  await user.click(screen.getByRole('button', { name: 'Remove' }));
  await user.click(await screen.findByRole('button', { name: 'Remove', description: '' }));
  expect(await screen.findByRole('textbox', { name: 'Domain' })).toBeInTheDocument();
});

it('asks for an A record if the host of the installation has no public name', async () => {
  serve(pending, 'http://10.0.0.1:8080/status/org-1');
  renderApp(paths.settings);
  expect(await screen.findByText(/add an A record of status\.acme\.example/)).toBeInTheDocument();
  expect(screen.queryByRole('textbox', { name: /^CNAME/ })).not.toBeInTheDocument();
});

it('shows why a domain is refused', async () => {
  serve(null);
  const message = 'Must be a domain name';
  server.use(
    http.put(
      apiUrl(endpoints.organisationDomain.item),
      () => problem(422, 'Invalid', [{ field: 'name', message }]),
      { once: true },
    ),
    http.put(apiUrl(endpoints.organisationDomain.item), () => problem(409, 'It is taken')),
  );
  const { user } = renderApp(paths.settings);
  const name = await screen.findByRole('textbox', { name: 'Domain' });
  await user.type(name, 'https://x');
  await user.click(screen.getByRole('button', { name: 'Add Domain' }));
  expect(await screen.findByText(message)).toBeInTheDocument();
  await user.clear(name);
  await user.type(name, 'status.acme.example');
  await user.click(screen.getByRole('button', { name: 'Add Domain' }));
  expect(await screen.findByText('It is taken')).toBeInTheDocument();
});

it('shows the reason when the check fails, and tries again', async () => {
  serve(pending);
  server.use(
    http.post(
      apiUrl(endpoints.organisationDomain.verify),
      () => problem(409, 'There is no response in time'),
      { once: true },
    ),
  );
  const { user } = renderApp(paths.settings);
  await user.click(await screen.findByRole('button', { name: 'Verify' }));
  const reason = await screen.findByText('There is no response in time');
  expect(within(reason).getByRole('link', { name: 'What a domain needs' })).toHaveAttribute(
    'href',
    '/docs/own-domain',
  );
  await user.click(screen.getByRole('button', { name: 'Verify' }));
  expect(await screen.findByText('Verified')).toBeInTheDocument();
});

it('is read-only for others than admins', async () => {
  serve(withoutToken);
  const organisation = { ...signedIn.organisation, role: 'editor' as const };
  renderApp(paths.settings, { auth: { ...signedIn, organisation } });
  expect(await screen.findByText('status.acme.example')).toBeInTheDocument();
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Verify' })).toBeNull());
  expect(screen.queryByRole('button', { name: 'Remove' })).not.toBeInTheDocument();
});

it('shows that a domain is removed while the settings have a conflict', async () => {
  const state = serve(verified);
  const { user } = renderApp(paths.settings);
  await user.type(await screen.findByLabelText(/^Name/), ' and more');
  await act(() => FakeSocket.last.join());
  state.name = 'Difference Engines';
  state.version += 1;
  act(() => FakeSocket.last.fire('organisation-updated', { id: 'org-1' }));
  await screen.findByText('This organisation has changed since you opened it');

  await user.click(screen.getByRole('button', { name: 'Remove' }));
  await user.click(await screen.findByRole('button', { name: 'Remove', description: '' }));
  expect(await screen.findByRole('textbox', { name: 'Domain' })).toBeInTheDocument();
});
