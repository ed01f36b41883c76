import { screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { http } from 'msw';
import { useState } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { useAuth } from '@/auth/auth';
import { endpoints } from '@/paths';
import { success, apiUrl, problem, server } from '@/testing/server';
import { useUnsavedChanges } from '@/ui/unsaved-changes';
import { withPasskeys } from './passkey/testing';
import { ada, engines, looms, renderPiece, serveSession, sessionOf } from './testing';

vi.mock('@simplewebauthn/browser', () => import('@/auth/built-in/passkey/testing'));

afterEach(() => vi.restoreAllMocks());

/** A screen with a text field, and a save that needs a token. */
function Screen() {
  const { getToken } = useAuth();
  const [title, setTitle] = useState('');
  const [saved, setSaved] = useState<string | null>(null);
  useUnsavedChanges(title !== '');

  async function save() {
    try {
      setSaved(`saved with ${await getToken()}`);
    } catch (error) {
      setSaved((error as Error).message);
    }
  }

  return (
    <>
      <input aria-label="Title" value={title} onChange={({ target }) => setTitle(target.value)} />
      <button onClick={() => void save()}>Save</button>
      <p>{saved}</p>
    </>
  );
}

/** Types into the screen and saves when the session has ended. */
async function saveAfterTheEnd(session = sessionOf()) {
  const backend = serveSession(session);
  const { user } = renderPiece(Screen, 'signed-in');
  await user.type(await screen.findByLabelText('Title'), 'Payments fail');
  backend.session = null;
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByRole('dialog', { name: 'Your session has ended' });
  return { backend, user };
}

it('asks to sign in again over the screen, keeps what was typed, and goes on with the save', async () => {
  const { backend, user } = await saveAfterTheEnd();
  const sent: unknown[] = [];
  server.use(
    http.post(apiUrl(endpoints.identity.signIn), async ({ request }) => {
      sent.push(await request.json());
      if (sent.length === 1) return problem(400, 'The address or the password is wrong');
      backend.session = sessionOf();
      return success({});
    }),
  );
  expect(screen.getByRole('dialog')).toHaveAccessibleDescription(/ada@example\.com/);
  await user.keyboard('{Escape}');
  await user.type(screen.getByLabelText('Password'), 'wrong');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(await screen.findByText('The address or the password is wrong')).toBeVisible();
  await user.clear(screen.getByLabelText('Password'));
  await user.type(screen.getByLabelText('Password'), 'a few words of mine');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(await screen.findByText('saved with test-token')).toBeVisible();
  expect(sent[1]).toEqual({ email: 'ada@example.com', password: 'a few words of mine' });
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  expect(screen.getByLabelText('Title')).toHaveValue('Payments fail');
});

it('keeps the screen in its organisation although the new session knows none', async () => {
  const { backend, user } = await saveAfterTheEnd(sessionOf({ organisations: [looms, engines] }));
  server.use(
    http.post(apiUrl(endpoints.identity.signIn), () => {
      backend.session = sessionOf({ organisations: [looms, engines], activeOrganisationId: null });
      return success({});
    }),
  );
  await user.type(screen.getByLabelText('Password'), 'a few words of mine');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(await screen.findByText('saved with test-token')).toBeVisible();
  expect(screen.getByTestId('who')).toHaveTextContent('signed-in in Analytical Engines');
  expect(screen.getByLabelText('Title')).toHaveValue('Payments fail');
});

it('does not save for the user of a passkey of another account', async () => {
  withPasskeys();
  const { backend, user } = await saveAfterTheEnd();
  server.use(
    http.post(apiUrl(endpoints.identity.signInPasskey.options), () =>
      success({ challenge: 'AAAA' }),
    ),
    http.post(apiUrl(endpoints.identity.signInPasskey.response), () => {
      backend.session = sessionOf({ user: { ...ada, id: 'user-2', name: 'Grace Hopper' } });
      return success({});
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Use a passkey' }));
  expect(
    await screen.findByText(
      'The request was not sent, because the user or the organisation has changed.',
    ),
  ).toBeVisible();
});

it('takes a passkey without the password', async () => {
  const authenticator = withPasskeys();
  const { backend, user } = await saveAfterTheEnd();
  server.use(
    http.post(apiUrl(endpoints.identity.signInPasskey.options), async ({ request }) => {
      expect(await request.json()).toEqual({});
      return success({ challenge: 'AAAA' });
    }),
    http.post(apiUrl(endpoints.identity.signInPasskey.response), () => {
      backend.session = sessionOf();
      return success({});
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Use a passkey' }));
  expect(await screen.findByText('saved with test-token')).toBeVisible();
  expect(authenticator.get).toHaveBeenCalledOnce();
  expect(screen.getByLabelText('Title')).toHaveValue('Payments fail');
});

/** Enters the password of an account with a second factor. */
async function enterPassword(user: UserEvent) {
  server.use(
    http.post(apiUrl(endpoints.identity.signIn), () =>
      success({ secondFactor: true, authenticatorApp: true, passkey: false }),
    ),
  );
  await user.type(screen.getByLabelText('Password'), 'a few words of mine');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  await screen.findByLabelText('Code');
}

it('asks for the code of an account with a second factor', async () => {
  const { backend, user } = await saveAfterTheEnd();
  server.use(
    http.post(apiUrl(endpoints.identity.signInCode), async ({ request }) => {
      expect(await request.json()).toEqual({ code: '123456' });
      backend.session = sessionOf();
      return success({});
    }),
  );
  await enterPassword(user);
  await user.type(screen.getByLabelText('Code'), '123456');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(await screen.findByText('saved with test-token')).toBeVisible();
});

it('signs a user without a password in again in a window of the provider', async () => {
  const okta = { id: 'okta', name: 'Okta' };
  const session = sessionOf({ ways: { password: false, providers: [okta] } });
  const { backend, user } = await saveAfterTheEnd(session);
  expect(screen.queryByLabelText('Password')).toBeNull();
  const opened = { opener: window, close: vi.fn(), location: { replace: vi.fn() } };
  vi.spyOn(window, 'open').mockReturnValue(opened as unknown as Window);
  server.use(
    http.post(apiUrl(endpoints.identity.provider('okta').start), () =>
      success({ url: 'https://okta.example/authorize' }),
    ),
  );
  await user.click(screen.getByRole('button', { name: 'Continue with Okta' }));
  await waitFor(() =>
    expect(opened.location.replace).toHaveBeenCalledWith('https://okta.example/authorize'),
  );
  backend.session = session;
  const channel = new BroadcastChannel('allclear:session');
  channel.postMessage({ kind: 'authenticated' });
  expect(await screen.findByText('saved with test-token')).toBeVisible();
  expect(screen.getByLabelText('Title')).toHaveValue('Payments fail');
  channel.close();
});

it('leads from the code back to the password, because a pending sign-in expires', async () => {
  const { backend, user } = await saveAfterTheEnd();
  await enterPassword(user);
  await user.click(screen.getByRole('button', { name: 'Back to password' }));
  expect(screen.queryByLabelText('Code')).not.toBeInTheDocument();
  server.use(
    http.post(apiUrl(endpoints.identity.signIn), () => {
      backend.session = sessionOf();
      return success({});
    }),
  );
  await user.type(screen.getByLabelText('Password'), 'a few words of mine');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(await screen.findByText('saved with test-token')).toBeVisible();
});

it('begins with the password when the session ends once more', async () => {
  const { backend, user } = await saveAfterTheEnd();
  await enterPassword(user);
  // The session of the other tab ends before this tab has a token.
  server.use(http.post(apiUrl(endpoints.identity.token), () => problem(401, 'Please sign in')));
  backend.session = sessionOf();
  const channel = new BroadcastChannel('allclear:session');
  channel.postMessage({ kind: 'authenticated' });
  expect(await screen.findByLabelText('Password')).toBeVisible();
  expect(screen.queryByLabelText('Code')).not.toBeInTheDocument();
  channel.close();
});

it('lets the user leave instead, after a question about the typed text', async () => {
  const { user } = await saveAfterTheEnd();
  await user.click(screen.getByRole('button', { name: 'Sign out' }));
  const question = () => screen.getByRole('alertdialog', { name: 'Leave without saving?' });
  await user.click(within(question()).getByRole('button', { name: 'Stay' }));
  expect(screen.getByRole('dialog', { name: 'Your session has ended' })).toBeVisible();
  expect(screen.getByTestId('who')).toHaveTextContent('signed-in');
  await user.click(screen.getByRole('button', { name: 'Sign out' }));
  await user.click(within(question()).getByRole('button', { name: 'Leave' }));
  await waitFor(() => expect(screen.getByTestId('who')).toHaveTextContent('signed-out'));
});
