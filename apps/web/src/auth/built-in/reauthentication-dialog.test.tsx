import { screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { useApi } from '@/api/api-provider';
import { endpoints } from '@/paths';
import { apiUrl, problem, server, success } from '@/testing/server';
import { withPasskeys } from './passkey/testing';
import { engines, looms, renderPiece, serveSession, sessionOf } from './testing';
import type { Factors } from './types';
import { UserMenu } from './user-menu/user-menu';

vi.mock('@simplewebauthn/browser', () => import('@/auth/built-in/passkey/testing'));

/** Makes a change that the server refuses until the user has confirmed it. */
function Change() {
  const api = useApi();
  const [changed, setChanged] = useState(false);

  async function change() {
    await api.put(endpoints.identity.factorRequirement(engines.id), {}).then(
      () => setChanged(true),
      () => undefined,
    );
  }

  return (
    <>
      <button onClick={() => void change()}>Change</button>
      <p>{changed && 'Changed'}</p>
    </>
  );
}

/** Presses the button of a change that the server refuses for the given reason. */
async function change(reason: 're-authentication-required' | 'second-factor-required') {
  const backend = { confirmed: false, requests: 0 };
  server.use(
    http.put(apiUrl(endpoints.identity.factorRequirement(engines.id)), () => {
      backend.requests += 1;
      return backend.confirmed
        ? success(null)
        : HttpResponse.json(
            { type: `/problems/${reason}`, message: 'Please confirm' },
            { status: 403 },
          );
    }),
  );
  const { user } = renderPiece(Change, 'signed-in');
  await user.click(await screen.findByRole('button', { name: 'Change' }));
  return { user, backend };
}

const withoutWays = sessionOf({ ways: { password: false, providers: [] } });

/** The server asks for an authentication until `confirmed` is true. */
async function changePassword() {
  serveSession(sessionOf({ organisations: [engines, looms] }));
  const backend = { confirmed: false, requests: 0 };
  server.use(
    http.post(apiUrl(endpoints.identity.password), () => {
      backend.requests += 1;
      return backend.confirmed
        ? success(null)
        : HttpResponse.json(
            { type: '/problems/re-authentication-required', message: 'Please confirm' },
            { status: 403 },
          );
    }),
  );
  const rendered = renderPiece(UserMenu, 'signed-in');
  const { user } = rendered;
  await user.click(await screen.findByRole('button', { name: /^Account of/ }));
  await user.click(screen.getByRole('menuitem', { name: 'Profile' }));
  await user.click(screen.getByRole('tab', { name: 'Password' }));
  await user.type(screen.getByLabelText('Current password'), 'old words');
  await user.type(screen.getByLabelText('New password'), 'a few words of mine');
  await user.click(screen.getByRole('button', { name: 'Change Password' }));
  const dialog = await screen.findByRole('dialog', { name: 'Confirm that it is you' });
  return { backend, dialog: within(dialog), ...rendered };
}

it('asks for the password and then repeats the change', async () => {
  const { user, backend, dialog } = await changePassword();
  server.use(
    http.post(apiUrl(endpoints.identity.reauthenticate), async ({ request }) => {
      const { password } = (await request.json()) as { password: string };
      if (password !== 'old words') return problem(401, 'Wrong password');
      backend.confirmed = true;
      return success(null);
    }),
  );
  const password = dialog.getByLabelText('Password');
  await user.type(password, 'wrong words');
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  expect(await screen.findByText('Wrong password')).toBeVisible();
  await user.clear(password);
  await user.type(password, 'old words');
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  expect(await screen.findByText('Password changed')).toBeVisible();
});

it('asks for a code as well if the account has a second factor', async () => {
  const { user, backend, dialog } = await changePassword();
  server.use(
    http.post(apiUrl(endpoints.identity.reauthenticate), async ({ request }) => {
      const body = (await request.json()) as { code?: string };
      if (body.code !== '123456') {
        return problem(422, 'Enter a code', [{ field: 'code', message: 'Enter a code' }]);
      }
      backend.confirmed = true;
      return success(null);
    }),
  );
  await user.type(dialog.getByLabelText('Password'), 'old words');
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  await user.type(await screen.findByLabelText('Code'), '123456');
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  expect(await screen.findByText('Password changed')).toBeVisible();
});

it('keeps what was typed if the user does not confirm', async () => {
  const { user } = await changePassword();
  await user.keyboard('{Escape}');
  await waitFor(() =>
    expect(
      screen.queryByRole('dialog', { name: 'Confirm that it is you' }),
    ).not.toBeInTheDocument(),
  );
  expect(screen.getByLabelText('New password')).toHaveValue('a few words of mine');
  expect(await screen.findByText('Please confirm')).toBeVisible();
});

it('does not repeat the change after a switch to another organisation', async () => {
  serveSession(sessionOf({ organisations: [engines, looms] }));
  const { backend } = await change('re-authentication-required');
  expect(await screen.findByRole('dialog', { name: 'Confirm that it is you' })).toBeVisible();
  const channel = new BroadcastChannel('allclear:session');
  channel.postMessage({ kind: 'changed', organisationId: looms.id });
  await waitFor(() => expect(screen.getByTestId('who')).toHaveTextContent('signed-in in Looms'));
  await waitFor(() =>
    expect(
      screen.queryByRole('dialog', { name: 'Confirm that it is you' }),
    ).not.toBeInTheDocument(),
  );
  expect(backend.requests).toBe(1);
  channel.close();
});

const withPhone: Factors = {
  totp: null,
  passkeys: [{ id: 'p', name: 'Phone', createdAt: '2026-01-01T10:00:00Z', lastUsedAt: null }],
  recoveryCodes: 10,
};

it('takes a passkey of the account in place of the password', async () => {
  const { get } = withPasskeys();
  server.use(http.get(apiUrl(endpoints.identity.factors), () => success(withPhone)));
  const { user, backend, dialog } = await changePassword();
  server.use(
    http.post(apiUrl(endpoints.identity.reauthenticatePasskey.options), () =>
      success({ challenge: 'abc' }),
    ),
    http.post(apiUrl(endpoints.identity.reauthenticatePasskey.response), () => {
      backend.confirmed = true;
      return success(null);
    }),
  );
  get.mockResolvedValueOnce({ id: 'credential' });
  await user.click(await dialog.findByRole('button', { name: 'Use a passkey' }));
  expect(await screen.findByText('Password changed')).toBeVisible();
});

it('does not ask a user whose only way is a passkey to sign out', async () => {
  const { get } = withPasskeys();
  serveSession(withoutWays);
  server.use(
    http.get(apiUrl(endpoints.identity.factors), () => problem(403, 'Not now'), { once: true }),
    http.get(apiUrl(endpoints.identity.factors), () => success(withPhone)),
    http.post(apiUrl(endpoints.identity.reauthenticatePasskey.options), () =>
      success({ challenge: 'abc' }),
    ),
  );
  const { user, backend } = await change('re-authentication-required');
  server.use(
    http.post(apiUrl(endpoints.identity.reauthenticatePasskey.response), () => {
      backend.confirmed = true;
      return success(null);
    }),
  );
  get.mockResolvedValueOnce({ id: 'credential' });
  expect(await screen.findByText('The second factors could not be loaded')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  const passkey = await screen.findByRole('button', { name: 'Use a passkey' });
  expect(screen.getByText('Use your passkey to make this change.')).toBeVisible();
  expect(screen.queryByText(/Sign out/)).not.toBeInTheDocument();
  await user.click(passkey);
  expect(await screen.findByText('Changed')).toBeVisible();
});

it('asks a user without any way of authenticating to sign in again', async () => {
  withPasskeys();
  serveSession(withoutWays);
  server.use(
    http.get(apiUrl(endpoints.identity.factors), () => success({ ...withPhone, passkeys: [] })),
  );
  await change('re-authentication-required');
  expect(await screen.findByText('Sign out and sign in again to make this change.')).toBeVisible();
});

it('offers to read the second factors again before it asks for one', async () => {
  serveSession(sessionOf());
  server.use(
    http.get(apiUrl(endpoints.identity.factors), () => problem(403, 'Not now'), { once: true }),
    http.get(apiUrl(endpoints.identity.factors), () => success(withPhone)),
  );
  const { user, backend } = await change('second-factor-required');
  server.use(
    http.post(apiUrl(endpoints.identity.sessionFactor), () => {
      backend.confirmed = true;
      return success(null);
    }),
  );
  const dialog = within(await screen.findByRole('dialog', { name: 'Confirm your second factor' }));
  expect(dialog.getByText('Not now')).toBeVisible();
  await user.click(dialog.getByRole('button', { name: 'Try Again' }));
  await user.type(await dialog.findByLabelText('Recovery code'), 'aaaaaa-bbbbbb');
  await user.click(dialog.getByRole('button', { name: 'Confirm' }));
  expect(await screen.findByText('Changed')).toBeVisible();
});
