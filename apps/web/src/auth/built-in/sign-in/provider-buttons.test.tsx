import { screen, waitFor } from '@testing-library/react';
import { http } from 'msw';
import { expect, it, vi } from 'vitest';
import { keepPath } from '@/auth/kept-path';
import { renderPiece, serveSession } from '@/auth/built-in/testing';
import { endpoints } from '@/paths';
import { apiUrl, problem, server } from '@/testing/server';
import { SignInScreen } from './sign-in-screen';

const providers = [
  { id: 'okta', name: 'Okta' },
  { id: 'azure', name: 'Example & Co' },
];

async function openSignIn(configuration: object, address?: string) {
  serveSession(null);
  const rendered = renderPiece(SignInScreen, 'signed-out', {
    configuration,
    ...(address !== undefined && { address }),
  });
  await screen.findByRole('heading', { level: 1 });
  return rendered;
}

it('offers each provider beside the password', async () => {
  const { user } = await openSignIn({ signInProviders: providers });
  const okta = screen.getByRole('button', { name: 'Continue with Okta' });
  expect(screen.getByRole('button', { name: 'Continue with Example & Co' })).toBeVisible();
  expect(screen.getByLabelText('Password')).toBeVisible();
  screen.getByRole('heading', { level: 1 }).focus();
  await user.tab();
  expect(okta).toHaveFocus();
});

it('begins a sign-in with the page to return to, and says why it failed', async () => {
  const { user } = await openSignIn({ signInProviders: providers });
  server.use(
    http.post(apiUrl(endpoints.identity.provider('okta').start), async ({ request }) => {
      expect(await request.json()).toEqual({ returnTo: '/dashboard' });
      return problem(503, 'The identity provider is not available');
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Continue with Okta' }));
  expect(await screen.findByText('The identity provider is not available')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Continue with Okta' })).toBeEnabled();
});

it('returns to the screen of the link that the visitor has followed', async () => {
  keepPath('/incidents');
  const { user } = await openSignIn({ signInProviders: providers });
  const start = vi.fn();
  server.use(
    http.post(apiUrl(endpoints.identity.provider('okta').start), async ({ request }) => {
      start(await request.json());
      return problem(503, 'The identity provider is not available');
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Continue with Okta' }));
  await waitFor(() => expect(start).toHaveBeenCalledWith({ returnTo: '/incidents' }));
});

it('offers only the providers where passwords are switched off', async () => {
  await openSignIn({ signInProviders: providers, passwords: false, firstAccount: true });
  expect(screen.getAllByRole('button', { name: /^Continue with/ })).toHaveLength(2);
  expect(screen.queryByLabelText('Password')).toBeNull();
  expect(screen.getAllByRole('button')).toHaveLength(2);
});

it('offers none without providers', async () => {
  await openSignIn({});
  expect(screen.queryByRole('button', { name: /^Continue with/ })).toBeNull();
});
