import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, it, vi } from 'vitest';
import { renderPiece, serveSession, sessionOf } from '@/auth/built-in/testing';
import type { Factors, ListedSession } from '@/auth/built-in/types';
import { endpoints } from '@/paths';
import { savedFiles } from '@/testing/saved-files';
import { apiUrl, problem, server, success } from '@/testing/server';
import { UserMenu } from './user-menu';

async function openTab(name: string, session = sessionOf()) {
  serveSession(session);
  const rendered = renderPiece(UserMenu, 'signed-in');
  await rendered.user.click(await screen.findByRole('button', { name: /^Account of/ }));
  await rendered.user.click(screen.getByRole('menuitem', { name: 'Profile' }));
  await rendered.user.click(screen.getByRole('tab', { name }));
  return rendered;
}

const here: ListedSession = {
  id: 's-1',
  current: true,
  device: 'Firefox on Linux',
  address: '192.0.2.1',
  createdAt: '2026-01-01T10:00:00.000Z',
  usedAt: '2026-01-02T10:00:00.000Z',
};
const there: ListedSession = { ...here, id: 's-2', current: false, device: null, address: null };

function serveSessions() {
  const backend = { sessions: [here, there] };
  server.use(
    http.get(apiUrl(endpoints.identity.sessions), () => success(backend.sessions)),
    http.delete(apiUrl(endpoints.identity.listedSession('s-2')), () => {
      backend.sessions = [here];
      return success({ id: 's-2' });
    }),
    http.delete(apiUrl(endpoints.identity.sessions), () => {
      backend.sessions = [here];
      return success({ ended: 1 });
    }),
  );
}

it('lists the sessions and ends one', async () => {
  serveSessions();
  const { user } = await openTab('Sessions');
  const items = within(await screen.findByRole('list', { name: 'Sessions' })).getAllByRole(
    'listitem',
  );
  expect(items[0]).toHaveTextContent('Firefox on Linux This session');
  expect(items[0]).toHaveTextContent('from 192.0.2.1');
  await user.click(screen.getByRole('button', { name: 'End session: Unknown device' }));
  expect(await screen.findByText('Session ended')).toBeVisible();
  await waitFor(() => expect(screen.queryByText('Unknown device')).not.toBeInTheDocument());
  expect(screen.queryByRole('button', { name: 'End all other sessions' })).not.toBeInTheDocument();
});

it('says how recently each session was used, as exactly as the server knows it', async () => {
  serveSessions();
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const recent = { ...there, id: 's-3', usedAt: minutesAgo(59) };
  const earlier = { ...there, id: 's-4', usedAt: '2026-01-02T10:00:00.000Z' };
  server.use(
    http.get(apiUrl(endpoints.identity.sessions), () =>
      success([{ ...here, usedAt: minutesAgo(40) }, recent, earlier]),
    ),
  );
  await openTab('Sessions');
  const list = await screen.findByRole('list', { name: 'Sessions' });
  const [first, second, third] = within(list).getAllByRole('listitem');
  expect(first).toHaveTextContent('In use now');
  expect(first).not.toHaveTextContent('Last used');
  expect(second).toHaveTextContent('Last used within the hour');
  expect(third).toHaveTextContent(/Last used Jan 02, 2026/);
});

it('ends all other sessions', async () => {
  serveSessions();
  const { user } = await openTab('Sessions');
  await user.click(await screen.findByRole('button', { name: 'End all other sessions' }));
  await waitFor(() => expect(screen.queryByText('Unknown device')).not.toBeInTheDocument());
});

it.each([
  ['Password', 'Mail me a link', '/identity/password-reset'],
  ['Second factor', 'Add authenticator app', '/identity/user/totp'],
  ['Sessions', 'End all other sessions', '/identity/sessions'],
])('sends one request when a button of the tab %s is pressed twice', async (tab, name, path) => {
  serveSessions();
  serveFactors(none);
  let requests = 0;
  server.use(
    http.all(apiUrl(path), ({ request }) => {
      if (request.method === 'GET') return undefined;
      requests += 1;
      return problem(503, 'The database is not available');
    }),
  );
  await openTab(tab, sessionOf({ ways: { password: false, providers: [] } }));
  const button = await screen.findByRole('button', { name });
  fireEvent.click(button);
  fireEvent.click(button);
  expect(await screen.findByText('The database is not available')).toBeVisible();
  await waitFor(() => expect(button).toBeEnabled());
  expect(requests).toBe(1);
});

function serveFactors(first: Factors) {
  const backend = { factors: first };
  server.use(
    http.get(apiUrl(endpoints.identity.factors), () => success(backend.factors)),
    http.post(apiUrl(endpoints.identity.totp), () =>
      success({ secret: 'GEZDGNBV', uri: 'otpauth://totp/Allclear:ada?secret=GEZDGNBV' }),
    ),
    http.post(apiUrl(endpoints.identity.confirmTotp), async ({ request }) => {
      const { code } = (await request.json()) as { code: string };
      if (code !== '123456') {
        return problem(422, 'Wrong code', [{ field: 'code', message: 'Wrong code' }]);
      }
      backend.factors = added;
      return success({ recoveryCodes: ['aaaaaa-bbbbbb', 'cccccc-dddddd'] });
    }),
    http.post(apiUrl(endpoints.identity.recoveryCodes), () =>
      success({ recoveryCodes: ['eeeeee-ffffff'] }),
    ),
    http.delete(apiUrl(endpoints.identity.totp), () => {
      backend.factors = none;
      return success(null);
    }),
  );
}

const none: Factors = { totp: null, passkeys: [], recoveryCodes: 0 };
const added: Factors = {
  totp: { createdAt: '2026-01-01T10:00:00.000Z' },
  passkeys: [],
  recoveryCodes: 2,
};

it('adds an authenticator app and shows the recovery codes once', async () => {
  serveFactors(none);
  const { user } = await openTab('Second factor');
  await user.click(await screen.findByRole('button', { name: 'Add authenticator app' }));
  expect(
    await screen.findByRole('img', { name: 'QR code for your authenticator app' }),
  ).toBeInTheDocument();
  expect(screen.getByLabelText('Secret')).toHaveValue('GEZDGNBV');
  await user.type(screen.getByLabelText('Code'), '000000');
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  expect(await screen.findByText('Wrong code')).toBeVisible();
  await user.clear(screen.getByLabelText('Code'));
  await user.type(screen.getByLabelText('Code'), '123456');
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  const codes = await screen.findByRole('list', { name: 'Recovery codes' });
  expect(codes).toHaveTextContent('aaaaaa-bbbbbbcccccc-dddddd');
  const written = vi.spyOn(navigator.clipboard, 'writeText');
  await user.click(screen.getByRole('button', { name: 'Copy' }));
  expect(written).toHaveBeenCalledWith('aaaaaa-bbbbbb\ncccccc-dddddd\n');
  await user.click(screen.getByRole('button', { name: 'I have kept them' }));
  expect(await screen.findByText('2 are left')).toBeVisible();
  expect(screen.queryByText('aaaaaa-bbbbbb')).not.toBeInTheDocument();
});

const withPasskey: Factors = {
  totp: null,
  passkeys: [{ id: 'p-1', name: 'Phone', createdAt: '2026-01-01T10:00:00.000Z', lastUsedAt: null }],
  recoveryCodes: 10,
};

async function confirmApp() {
  const { user } = await openTab('Second factor');
  await user.click(await screen.findByRole('button', { name: 'Add authenticator app' }));
  await user.type(await screen.findByLabelText('Code'), '123456');
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
}

it('keeps the recovery codes of an earlier passkey if the server does', async () => {
  serveFactors(withPasskey);
  server.use(
    http.post(apiUrl(endpoints.identity.confirmTotp), () => success({ recoveryCodes: null })),
  );
  await confirmApp();
  expect(await screen.findByText('Authenticator app added')).toBeVisible();
  expect(await screen.findByText('10 are left')).toBeVisible();
});

it('says that the recovery codes of an authenticator app replace earlier ones', async () => {
  serveFactors(withPasskey);
  await confirmApp();
  expect(await screen.findByText(/The codes that you had before no longer work/)).toBeVisible();
});

it('selects the recovery codes if the browser forbids the clipboard, and says so', async () => {
  serveFactors(added);
  const { user } = await openTab('Second factor');
  await user.click(await screen.findByRole('button', { name: 'New recovery codes' }));
  await user.click(await screen.findByRole('button', { name: 'Make new codes' }));
  await screen.findByText('eeeeee-ffffff');
  // Pages without TLS have no clipboard.
  vi.spyOn(navigator, 'clipboard', 'get').mockReturnValue(undefined as never);
  await user.click(screen.getByRole('button', { name: 'Copy' }));
  expect(
    await screen.findByText(
      'The browser does not allow the copy. The codes are selected: press Ctrl+C or ⌘C.',
    ),
  ).toBeVisible();
  expect(window.getSelection()?.toString()).toContain('eeeeee-ffffff');
});

it('makes new recovery codes', async () => {
  serveFactors(added);
  const { user } = await openTab('Second factor');
  await user.click(await screen.findByRole('button', { name: 'New recovery codes' }));
  await user.click(await screen.findByRole('button', { name: 'Make new codes' }));
  expect(await screen.findByText('eeeeee-ffffff')).toBeVisible();
});

it('moves the focus to each step of adding an authenticator app', async () => {
  serveFactors(none);
  const { user } = await openTab('Second factor');
  await user.click(await screen.findByRole('button', { name: 'Add authenticator app' }));
  const code = await screen.findByLabelText('Code');
  expect(code).toHaveFocus();
  await user.type(code, '123456{Enter}');
  const codes = await screen.findByRole('list', { name: 'Recovery codes' });
  await waitFor(() => expect(document.activeElement).toContainElement(codes));
  expect(document.activeElement?.closest('[role=tabpanel]')).not.toBeNull();
  await user.click(screen.getByRole('button', { name: 'I have kept them' }));
  const left = await screen.findByText('2 are left');
  expect(document.activeElement).toContainElement(left);
  expect(document.activeElement?.closest('[role=tabpanel]')).not.toBeNull();
});

it('moves the focus to new recovery codes', async () => {
  serveFactors(added);
  const { user } = await openTab('Second factor');
  await user.click(await screen.findByRole('button', { name: 'New recovery codes' }));
  await user.click(await screen.findByRole('button', { name: 'Make new codes' }));
  await screen.findByText('eeeeee-ffffff');
  await waitFor(() => expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument());
  await waitFor(() =>
    expect(document.activeElement?.closest('[role=tabpanel]')).toBeInstanceOf(Element),
  );
});

it.each(['Copy', 'Download'])(
  'asks before recovery codes disappear that nobody has kept, but not after %s',
  async (keep) => {
    savedFiles();
    serveFactors(added);
    const { user } = await openTab('Second factor');
    await user.click(await screen.findByRole('button', { name: 'New recovery codes' }));
    await user.click(await screen.findByRole('button', { name: 'Make new codes' }));
    await screen.findByText('eeeeee-ffffff');
    await user.click(screen.getByRole('button', { name: 'Close' }));
    const question = await screen.findByRole('alertdialog', { name: 'Close without a copy?' });
    await user.click(within(question).getByRole('button', { name: 'Keep Open' }));
    await user.click(screen.getByRole('button', { name: keep }));
    await user.click(screen.getByRole('button', { name: 'Close' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  },
);

it('keeps recovery codes that nobody has kept when the name is saved', async () => {
  serveFactors(added);
  server.use(http.patch(apiUrl(endpoints.identity.user), () => success(null)));
  const { user } = await openTab('Second factor');
  await user.click(await screen.findByRole('button', { name: 'New recovery codes' }));
  await user.click(await screen.findByRole('button', { name: 'Make new codes' }));
  await screen.findByText('eeeeee-ffffff');
  await user.click(screen.getByRole('tab', { name: 'Name' }));
  await user.type(screen.getByLabelText('Name', { selector: 'input' }), ' King');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Name changed')).toBeVisible();
  await user.click(screen.getByRole('tab', { name: 'Second factor' }));
  expect(screen.getByText('eeeeee-ffffff')).toBeVisible();
});

it('removes the authenticator app', async () => {
  serveFactors(added);
  const { user } = await openTab('Second factor');
  await user.click(await screen.findByRole('button', { name: 'Remove app' }));
  await user.click(await screen.findByRole('button', { name: 'Remove' }));
  expect(await screen.findByRole('button', { name: 'Add authenticator app' })).toBeVisible();
});
