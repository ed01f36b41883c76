import { act, screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { beforeEach, expect, it } from 'vitest';
import type { ApiKey } from '@/api/types';
import { aSnapshot } from '@/features/status-page/fixtures';
import { endpoints, paths } from '@/paths';
import { apiUrl, problem, server, settings, success } from '@/testing/server';
import { renderApp, signedIn } from './testing';

const deploys: ApiKey = {
  id: 'key-1',
  name: 'Deploys',
  role: 'editor',
  prefix: 'ack_0123abcd',
  createdAt: '2026-11-20T10:00:00.000Z',
  expiresAt: null,
  lastUsedAt: null,
};

const backend = { keys: [] as ApiKey[] };

beforeEach(() => {
  backend.keys = [deploys];
  server.use(
    http.get(apiUrl(endpoints.status('org-1')), () => success(aSnapshot())),
    http.get(apiUrl(endpoints.organisationSettings), () => success(settings, { etag: '"1"' })),
    http.get(apiUrl(endpoints.apiKeys.list), () => success(backend.keys)),
  );
});

const list = () => screen.findByRole('list', { name: 'API keys' });

it('lists the keys with what is known of them', async () => {
  renderApp(paths.settings);
  const row = within(await list()).getByRole('listitem');
  expect(row).toHaveTextContent('DeploysEditorack_0123abcd…Expires: neverLast used: never');
  const changes = within(row).getByRole('link', { name: 'Audit log of Deploys' });
  expect(changes).toHaveAttribute('href', paths.history('key-1'));
});

it('creates a key and shows it once', async () => {
  const sent: unknown[] = [];
  server.use(
    http.post(apiUrl(endpoints.apiKeys.create), async ({ request }) => {
      sent.push(await request.json());
      const created = { ...deploys, id: 'key-2', name: 'Monitor', role: 'viewer' as const };
      backend.keys = [created, deploys];
      return success({ ...created, key: 'ack_secret' }, { status: 201 });
    }),
  );
  const { user } = renderApp(paths.settings);
  await list();
  await user.click(screen.getByRole('button', { name: 'New Key' }));
  await user.click(screen.getByRole('button', { name: 'Create' }));
  expect(await screen.findByText('Name is required')).toBeVisible();
  await user.type(screen.getByRole('textbox', { name: /^Name/ }), 'Monitor');
  await user.click(screen.getByRole('button', { name: 'Create' }));
  const dialog = await screen.findByRole('dialog', { name: 'Your new API key' });
  expect(within(dialog).getByLabelText('API key')).toHaveValue('ack_secret');
  expect(sent).toEqual([{ name: 'Monitor', role: 'viewer', expiresAt: null }]);
  await user.click(within(dialog).getByRole('button', { name: 'Done' }));
  const question = within(
    await screen.findByRole('alertdialog', { name: 'Close without a copy?' }),
  );
  await user.click(question.getByRole('button', { name: 'Close' }));
  expect(await screen.findByText('Monitor')).toBeVisible();
  expect(screen.queryByDisplayValue('ack_secret')).not.toBeInTheDocument();
});

it('asks before a key that nobody has copied disappears', async () => {
  server.use(
    http.post(apiUrl(endpoints.apiKeys.create), () =>
      success({ ...deploys, id: 'key-2', key: 'ack_secret' }, { status: 201 }),
    ),
  );
  const { user } = renderApp(paths.settings);
  await list();
  await user.click(screen.getByRole('button', { name: 'New Key' }));
  await user.type(screen.getByRole('textbox', { name: /^Name/ }), 'Monitor');
  await user.click(screen.getByRole('button', { name: 'Create' }));
  const dialog = await screen.findByRole('dialog', { name: 'Your new API key' });
  await user.keyboard('{Escape}');
  const question = within(
    await screen.findByRole('alertdialog', { name: 'Close without a copy?' }),
  );
  await user.click(question.getByRole('button', { name: 'Keep Open' }));
  expect(screen.getByLabelText('API key')).toHaveValue('ack_secret');
  await user.click(within(dialog).getByRole('button', { name: 'Copy: API key' }));
  await within(dialog).findByRole('button', { name: 'Copied: API key' });
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument();
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

it('keeps a new key on the screen when the user is an admin no longer', async () => {
  server.use(
    http.post(apiUrl(endpoints.apiKeys.create), () =>
      success({ ...deploys, id: 'key-2', key: 'ack_secret' }, { status: 201 }),
    ),
  );
  const { user, become } = renderApp(paths.settings);
  await list();
  await user.click(screen.getByRole('button', { name: 'New Key' }));
  await user.type(screen.getByRole('textbox', { name: /^Name/ }), 'Monitor');
  await user.click(screen.getByRole('button', { name: 'Create' }));
  await screen.findByRole('dialog', { name: 'Your new API key' });
  act(() => become({ ...signedIn, organisation: { ...signedIn.organisation, role: 'viewer' } }));
  expect(screen.getByLabelText('API key')).toHaveValue('ack_secret');
});

it('keeps the dialog with the reason when a key is refused', async () => {
  server.use(
    http.post(apiUrl(endpoints.apiKeys.create), () =>
      problem(409, 'An organisation may have 100 API keys'),
    ),
  );
  const { user } = renderApp(paths.settings);
  await list();
  await user.click(screen.getByRole('button', { name: 'New Key' }));
  await user.type(screen.getByRole('textbox', { name: /^Name/ }), 'Monitor');
  await user.click(screen.getByRole('button', { name: 'Create' }));
  expect(await screen.findByText('An organisation may have 100 API keys')).toBeVisible();
  expect(screen.getByRole('textbox', { name: /^Name/ })).toHaveValue('Monitor');
});

it('revokes a key once that is confirmed', async () => {
  server.use(
    http.delete(apiUrl(endpoints.apiKeys.item('key-1')), () => {
      backend.keys = [];
      return success({ id: 'key-1' });
    }),
  );
  const { user } = renderApp(paths.settings);
  await list();
  await user.click(screen.getByRole('button', { name: 'Revoke Deploys' }));
  await user.click(
    within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Revoke' }),
  );
  expect(await screen.findByText('The organisation has no API keys.')).toBeVisible();
});

it('keeps the focus in the card when the key with the pressed button is gone', async () => {
  const { user } = renderApp(paths.settings);
  await list();
  let respond: () => void = () => undefined;
  server.use(
    http.delete(apiUrl(endpoints.apiKeys.item('key-1')), () => {
      backend.keys = [];
      return success({ id: 'key-1' });
    }),
    http.get(apiUrl(endpoints.apiKeys.list), async () => {
      await new Promise<void>((resolve) => {
        respond = resolve;
      });
      return success(backend.keys);
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Revoke Deploys' }));
  const question = await screen.findByRole('alertdialog');
  await user.click(within(question).getByRole('button', { name: 'Revoke' }));
  await screen.findByText('API key revoked');
  expect(question).toBeVisible();
  respond();
  const text = await screen.findByText('The organisation has no API keys.');
  await waitFor(() => expect(text.closest('section')).toHaveFocus());
});

it('is for admins', async () => {
  const organisation = { ...signedIn.organisation, role: 'editor' as const };
  renderApp(paths.settings, { auth: { ...signedIn, organisation } });
  await screen.findByRole('textbox', { name: 'Page title' });
  expect(screen.queryByText('API keys')).not.toBeInTheDocument();
});
