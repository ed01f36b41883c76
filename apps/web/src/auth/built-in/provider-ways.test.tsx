import { act, screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { afterEach, expect, it, vi } from 'vitest';
import { endpoints } from '@/paths';
import { apiUrl, problem, server, success } from '@/testing/server';
import { SignedInScreen } from './sign-in/signed-in-screen';
import { renderPiece, serveSession, sessionOf } from './testing';
import { UserMenu } from './user-menu/user-menu';

const okta = { id: 'okta', name: 'Okta' };
const byProvider = sessionOf({ ways: { password: false, providers: [okta] } });
const ofOkta = endpoints.identity.provider('okta');

afterEach(() => vi.restoreAllMocks());

/** A window that the app opens. */
function openedWindow() {
  const opened = { opener: window, close: vi.fn(), location: { replace: vi.fn() } };
  vi.spyOn(window, 'open').mockReturnValue(opened as unknown as Window);
  return opened;
}

/** Sends what the window of the provider sends at its end. */
async function announceAuthentication() {
  const channel = new BroadcastChannel('allclear:session');
  await act(async () => {
    channel.postMessage({ kind: 'authenticated' });
    await Promise.resolve();
  });
  channel.close();
}

/** Opens the profile of a user without a password, on a tab. */
async function openProfile(tab: string) {
  serveSession(byProvider);
  const rendered = renderPiece(UserMenu, 'signed-in');
  const { user } = rendered;
  await user.click(await screen.findByRole('button', { name: /^Account of/ }));
  await user.click(screen.getByRole('menuitem', { name: 'Profile' }));
  await user.click(screen.getByRole('tab', { name: tab }));
  return rendered;
}

/** Deletes the account; the server asks for an authentication until `confirmed` is true. */
async function deleteAccount() {
  const backend = { confirmed: false };
  server.use(
    http.delete(apiUrl(endpoints.identity.user), async ({ request }) => {
      expect(await request.json()).toEqual({});
      return backend.confirmed
        ? success(null)
        : HttpResponse.json(
            { type: '/problems/re-authentication-required', message: 'Please confirm' },
            { status: 403 },
          );
    }),
  );
  const { user } = await openProfile('Delete account');
  await user.click(screen.getByRole('button', { name: 'Delete account' }));
  await user.click(await screen.findByRole('button', { name: 'Delete' }));
  const dialog = await screen.findByRole('dialog', { name: 'Confirm that it is you' });
  return { user, backend, dialog: within(dialog) };
}

it('authenticates a user without a password in a window of the provider, and repeats the change', async () => {
  const { user, backend, dialog } = await deleteAccount();
  expect(dialog.queryByLabelText('Password')).toBeNull();
  const opened = openedWindow();
  server.use(
    http.post(apiUrl(ofOkta.reauthenticate), async ({ request }) => {
      expect(await request.json()).toEqual({ returnTo: '/signed-in' });
      return success({ url: 'https://okta.example/authorize' });
    }),
  );
  await user.click(dialog.getByRole('button', { name: 'Continue with Okta' }));
  await waitFor(() =>
    expect(opened.location.replace).toHaveBeenCalledWith('https://okta.example/authorize'),
  );
  expect(opened.opener).toBeNull();
  backend.confirmed = true;
  await announceAuthentication();
  expect(await screen.findByText('Account deleted')).toBeVisible();
});

it('says why the window of the provider could not be opened', async () => {
  const { user, dialog } = await deleteAccount();
  const blocked = vi.spyOn(window, 'open').mockReturnValue(null);
  const button = dialog.getByRole('button', { name: 'Continue with Okta' });
  await user.click(button);
  expect(await dialog.findByText(/Your browser has blocked the window/)).toBeVisible();
  blocked.mockRestore();
  const opened = openedWindow();
  server.use(http.post(apiUrl(ofOkta.reauthenticate), () => problem(503, 'Not available')));
  await user.click(button);
  expect(await dialog.findByText('Not available')).toBeVisible();
  expect(opened.close).toHaveBeenCalledOnce();
});

it('mails a link to set a password to a user without one', async () => {
  const { user } = await openProfile('Password');
  expect(screen.queryByLabelText('Current password')).toBeNull();
  server.use(
    http.post(apiUrl(endpoints.identity.passwordReset), async ({ request }) => {
      expect(await request.json()).toEqual({ email: 'ada@example.com' });
      return success(null);
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Mail me a link' }));
  expect(await screen.findByText('Link sent to ada@example.com')).toBeVisible();
});

it('announces an authentication to the other windows and closes its own', async () => {
  const received = vi.fn();
  const channel = new BroadcastChannel('allclear:session');
  channel.onmessage = ({ data }: MessageEvent<unknown>) => void received(data);
  const close = vi.spyOn(window, 'close').mockImplementation(() => undefined);
  serveSession(byProvider);
  renderPiece(SignedInScreen, 'signed-in', { address: '/signed-in' });
  expect(await screen.findByRole('heading', { name: 'You are signed in' })).toBeVisible();
  await waitFor(() => expect(received).toHaveBeenCalledWith({ kind: 'authenticated' }));
  expect(close).toHaveBeenCalledOnce();
  channel.close();
});
