import { screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, it } from 'vitest';
import { engines, looms, renderPiece, serveSession, sessionOf } from '@/auth/built-in/testing';
import { endpoints } from '@/paths';
import { success, apiUrl, problem, server } from '@/testing/server';
import { useUnsavedChanges } from '@/ui/unsaved-changes';
import { OrganisationSwitcher } from './organisation-switcher';

async function openSwitcher() {
  const backend = serveSession(sessionOf({ organisations: [engines, looms] }));
  const rendered = renderPiece(OrganisationSwitcher, 'signed-in');
  await rendered.user.click(await screen.findByRole('button', { name: /^Organisation:/ }));
  return { backend, ...rendered };
}

const who = () => screen.getByTestId('who').textContent;

it('shows the organisations of the person and nothing personal', async () => {
  await openSwitcher();
  const names = screen.getAllByRole('menuitemcheckbox').map((item) => item.textContent);
  expect(names).toEqual(['Analytical Engines', 'Looms']);
  expect(screen.getByRole('menuitemcheckbox', { name: 'Analytical Engines' })).toBeChecked();
});

it('switches, and the server remembers it', async () => {
  const { user } = await openSwitcher();
  const asked: unknown[] = [];
  server.use(
    http.post(apiUrl(endpoints.identity.token), async ({ request }) => {
      asked.push(await request.json());
      return success({ token: 'two', expiresAt: new Date(Date.now() + 300_000).toISOString() });
    }),
  );
  await user.click(screen.getByRole('menuitemcheckbox', { name: 'Looms' }));
  await waitFor(() => expect(who()).toBe('signed-in in Looms'));
  expect(asked).toEqual([{ organisationId: 'org-2' }]);
});

function SwitcherBesideTypedText() {
  useUnsavedChanges(true);
  return <OrganisationSwitcher />;
}

it('asks before it discards typed text, and does what the user chooses', async () => {
  serveSession(sessionOf({ organisations: [engines, looms] }));
  const { user } = renderPiece(SwitcherBesideTypedText, 'signed-in');
  const choose = async () => {
    await user.click(await screen.findByRole('button', { name: /^Organisation:/ }));
    await user.click(screen.getByRole('menuitemcheckbox', { name: 'Looms' }));
    await screen.findByRole('alertdialog', { name: 'Leave without saving?' });
  };
  await choose();
  await user.click(screen.getByRole('button', { name: 'Stay' }));
  expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument();
  expect(who()).toBe('signed-in in Analytical Engines');

  await choose();
  server.use(
    http.post(apiUrl(endpoints.identity.token), () =>
      success({ token: 'two', expiresAt: new Date(Date.now() + 300_000).toISOString() }),
    ),
  );
  await user.click(screen.getByRole('button', { name: 'Leave' }));
  await waitFor(() => expect(who()).toBe('signed-in in Looms'));
});

it('stays where it is when it cannot switch, and says why', async () => {
  const { user } = await openSwitcher();
  server.use(
    http.post(apiUrl(endpoints.identity.token), () =>
      problem(403, 'Not a member of this organisation'),
    ),
  );
  await user.click(screen.getByRole('menuitemcheckbox', { name: 'Looms' }));
  expect(await screen.findByText('Not a member of this organisation')).toBeVisible();
  expect(who()).toBe('signed-in in Analytical Engines');
});

it('creates another organisation', async () => {
  const { user, backend } = await openSwitcher();
  const mills = { id: 'org-3', name: 'Mills', role: 'admin' } as const;
  await user.click(screen.getByRole('menuitem', { name: 'Create organisation' }));
  server.use(
    http.post(apiUrl(endpoints.identity.organisations), () => {
      backend.session = sessionOf({ organisations: [mills, engines, looms] });
      return success(mills, { status: 201 });
    }),
  );
  await user.type(screen.getByLabelText('Name'), 'Mills');
  await user.click(screen.getByRole('button', { name: 'Create' }));
  await waitFor(() => expect(who()).toBe('signed-in in Mills'));
});

/**
 * The dialog of a new organisation, with its name. The session cannot be read after it is created.
 */
async function createUnread(status: number, times: 'once' | 'always') {
  const { user, backend } = await openSwitcher();
  const mills = { id: 'org-3', name: 'Mills', role: 'admin' } as const;
  const sent = { creates: 0 };
  await user.click(screen.getByRole('menuitem', { name: 'Create organisation' }));
  server.use(
    http.post(apiUrl(endpoints.identity.organisations), () => {
      sent.creates += 1;
      backend.session = sessionOf({ organisations: [mills, engines, looms] });
      server.use(
        http.get(apiUrl(endpoints.identity.session), () => problem(status, 'Not now'), {
          once: times === 'once',
        }),
      );
      return success(mills, { status: 201 });
    }),
  );
  await user.type(screen.getByLabelText('Name'), 'Mills');
  await user.click(screen.getByRole('button', { name: 'Create' }));
  return { user, backend, sent };
}

it('creates an organisation once although the session cannot be read for a moment', async () => {
  const { sent } = await createUnread(503, 'once');
  await waitFor(() => expect(who()).toBe('signed-in in Mills'));
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  expect(sent.creates).toBe(1);
});

it('reads only the session again after the user has learned that it cannot be read', async () => {
  const { user, backend, sent } = await createUnread(403, 'always');
  const dialog = within(
    await screen.findByRole('dialog', { name: 'The session could not be loaded' }),
  );
  expect(dialog.getByText('Not now')).toBeVisible();
  server.use(http.get(apiUrl(endpoints.identity.session), () => success(backend.session)));
  await user.click(dialog.getByRole('button', { name: 'Try Again' }));
  await waitFor(() => expect(who()).toBe('signed-in in Mills'));
  expect(screen.queryByText('Not now')).not.toBeInTheDocument();
  expect(sent.creates).toBe(1);
});

it('goes back to the shown screen while the session cannot be read', async () => {
  const { user, sent } = await createUnread(403, 'always');
  const dialog = await screen.findByRole('dialog', { name: 'The session could not be loaded' });
  await user.click(within(dialog).getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(dialog).not.toBeInTheDocument());
  expect(who()).toBe('signed-in in Analytical Engines');
  expect(sent.creates).toBe(1);
});

it('leads to the organisation itself', async () => {
  const { user, router } = await openSwitcher();
  await user.click(screen.getByRole('menuitem', { name: 'Manage organisation' }));
  expect(router.state.location.pathname).toBe('/organisation');
});
