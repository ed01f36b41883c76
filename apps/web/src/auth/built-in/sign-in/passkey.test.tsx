import { screen, waitFor } from '@testing-library/react';
import { http } from 'msw';
import { expect, it, vi } from 'vitest';
import { withPasskeys } from '@/auth/built-in/passkey/testing';
import { renderPiece, serveSession, sessionOf } from '@/auth/built-in/testing';
import { endpoints } from '@/paths';
import { apiUrl, problem, server, success } from '@/testing/server';
import { SignInScreen } from './sign-in-screen';

vi.mock('@simplewebauthn/browser', () => import('@/auth/built-in/passkey/testing'));

const button = { name: 'Use a passkey' };

it('signs in with a passkey', async () => {
  const { get } = withPasskeys();
  const backend = serveSession(null);
  server.use(
    http.post(apiUrl(endpoints.identity.signInPasskey.options), () =>
      success({ challenge: 'abc' }),
    ),
    http.post(apiUrl(endpoints.identity.signInPasskey.response), async ({ request }) => {
      const { response } = (await request.json()) as { response: { id: string } };
      if (response.id !== 'credential') return problem(401, 'This passkey was not accepted');
      backend.session = sessionOf();
      return success({ user: backend.session.user });
    }),
  );
  const { user } = renderPiece(SignInScreen, 'signed-out', { address: '/login' });
  get.mockRejectedValueOnce(new DOMException('cancelled', 'NotAllowedError'));
  await user.click(await screen.findByRole('button', button));
  expect(await screen.findByRole('alert')).toHaveTextContent('No passkey was used.');
  get.mockRejectedValueOnce(new DOMException('none', 'NotSupportedError'));
  await user.click(screen.getByRole('button', button));
  expect(await screen.findByText(/^This browser or device cannot use passkeys/)).toBeVisible();
  get.mockResolvedValueOnce({ id: 'unknown' });
  await user.click(screen.getByRole('button', button));
  expect(await screen.findByText('This passkey was not accepted')).toBeVisible();
  get.mockResolvedValueOnce({ id: 'credential' });
  await user.click(screen.getByRole('button', button));
  await waitFor(() => expect(screen.getByTestId('who')).toHaveTextContent('signed-in'));
  expect(get).toHaveBeenLastCalledWith({ optionsJSON: { challenge: 'abc' } });
});

it('offers no passkey in a browser or an installation without passkeys', async () => {
  serveSession(null);
  const rendered = renderPiece(SignInScreen, 'signed-out', { address: '/login' });
  expect(await screen.findByLabelText('Email')).toBeVisible();
  expect(screen.queryByRole('button', button)).not.toBeInTheDocument();
  rendered.unmount();
  withPasskeys();
  renderPiece(SignInScreen, 'signed-out', {
    address: '/login',
    configuration: { passkeys: false },
  });
  expect(await screen.findByLabelText('Email')).toBeVisible();
  expect(screen.queryByRole('button', button)).not.toBeInTheDocument();
});
