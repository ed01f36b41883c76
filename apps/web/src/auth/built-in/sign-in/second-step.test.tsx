import { screen, waitFor } from '@testing-library/react';
import { http } from 'msw';
import { expect, it, vi } from 'vitest';
import { withPasskeys } from '@/auth/built-in/passkey/testing';
import { renderPiece, serveSession, sessionOf } from '@/auth/built-in/testing';
import { endpoints } from '@/paths';
import { apiUrl, problem, server, success } from '@/testing/server';
import type { AwaitedFactors } from '@/auth/built-in/types';
import { SignInScreen } from './sign-in-screen';

vi.mock('@simplewebauthn/browser', () => import('@/auth/built-in/passkey/testing'));

const app: AwaitedFactors = { authenticatorApp: true, passkey: false };

async function enterPassword(awaited: AwaitedFactors, heading: string) {
  const backend = serveSession(null);
  server.use(
    http.post(apiUrl(endpoints.identity.signIn), () => success({ secondFactor: true, ...awaited })),
    http.post(apiUrl(endpoints.identity.signInCode), async ({ request }) => {
      const { code } = (await request.json()) as { code: string };
      if (code !== '123456') return problem(401, 'Wrong code');
      backend.session = sessionOf();
      return success({ user: backend.session.user });
    }),
  );
  const { user } = renderPiece(SignInScreen, 'signed-out', { address: '/login' });
  await user.type(await screen.findByLabelText('Email'), 'ada@example.com');
  await user.type(screen.getByLabelText('Password'), 'a few words of mine');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(await screen.findByRole('heading', { name: heading })).toHaveFocus();
  return { user, backend };
}

it('asks for a code and signs in with it', async () => {
  const { user } = await enterPassword(app, 'Enter your code');
  const code = screen.getByLabelText('Code');
  await user.type(code, '000000');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(await screen.findByText('Wrong code')).toBeVisible();
  await user.clear(code);
  await user.type(code, ' 123456 ');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  await waitFor(() => expect(screen.getByTestId('who')).toHaveTextContent('signed-in'));
});

it('leads back to the password', async () => {
  const { user } = await enterPassword(app, 'Enter your code');
  await user.click(screen.getByRole('button', { name: 'Back to sign in' }));
  expect(await screen.findByLabelText('Email')).toBeVisible();
});

it('takes a passkey in place of a code', async () => {
  const authenticator = withPasskeys();
  const { user, backend } = await enterPassword(
    { authenticatorApp: false, passkey: true },
    'Use your second factor',
  );
  expect(screen.getByLabelText('Recovery code')).toBeVisible();
  const begun: unknown[] = [];
  server.use(
    http.post(apiUrl(endpoints.identity.signInPasskey.options), async ({ request }) => {
      begun.push(await request.json());
      return success({ challenge: 'abc' });
    }),
    http.post(apiUrl(endpoints.identity.signInPasskey.response), () => {
      backend.session = sessionOf();
      return success({ user: backend.session.user });
    }),
  );
  authenticator.get.mockResolvedValueOnce({ id: 'credential' });
  await user.click(screen.getByRole('button', { name: 'Use a passkey' }));
  await waitFor(() => expect(screen.getByTestId('who')).toHaveTextContent('signed-in'));
  expect(begun).toEqual([{ afterPassword: true }]);
});

it('does not offer a passkey in a browser without passkeys', async () => {
  await enterPassword({ authenticatorApp: true, passkey: true }, 'Enter your code');
  expect(screen.queryByRole('button', { name: 'Use a passkey' })).not.toBeInTheDocument();
});
