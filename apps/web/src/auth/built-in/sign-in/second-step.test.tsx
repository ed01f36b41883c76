import { screen, waitFor } from '@testing-library/react';
import { http } from 'msw';
import { expect, it } from 'vitest';
import { renderPiece, serveSession, sessionOf } from '@/auth/built-in/testing';
import { endpoints } from '@/paths';
import { apiUrl, problem, server, success } from '@/testing/server';
import { SignInScreen } from './sign-in-screen';

async function enterPassword() {
  const backend = serveSession(null);
  server.use(
    http.post(apiUrl(endpoints.identity.signIn), () => success({ secondFactor: true })),
    http.post(apiUrl(endpoints.identity.signInCode), async ({ request }) => {
      const { code } = (await request.json()) as { code: string };
      if (code !== '123456') return problem(401, 'Wrong code');
      backend.session = sessionOf();
      return success({ user: backend.session.user });
    }),
  );
  const { user } = renderPiece(SignInScreen, 'signed-out', { address: '/login' });
  await user.type(await screen.findByLabelText('Email*'), 'ada@example.com');
  await user.type(screen.getByLabelText('Password*'), 'a few words of mine');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(await screen.findByRole('heading', { name: 'Enter your code' })).toHaveFocus();
  return user;
}

it('asks for a code and signs in with it', async () => {
  const user = await enterPassword();
  const code = screen.getByLabelText('Code*');
  await user.type(code, '000000');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(await screen.findByText('Wrong code')).toBeVisible();
  await user.clear(code);
  await user.type(code, ' 123456 ');
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  await waitFor(() => expect(screen.getByTestId('who')).toHaveTextContent('signed-in'));
});

it('leads back to the password', async () => {
  const user = await enterPassword();
  await user.click(screen.getByRole('button', { name: 'Back to sign in' }));
  expect(await screen.findByLabelText('Email*')).toBeVisible();
});
