import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPiece, serveSession } from '@/auth/built-in/testing';
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
  const okta = screen.getByRole('link', { name: 'Continue with Okta' });
  expect(okta).toHaveAttribute('href', '/api/v1/identity/oidc/okta/start?returnTo=%2Fdashboard');
  expect(screen.getByRole('link', { name: 'Continue with Example & Co' })).toBeVisible();
  expect(screen.getByLabelText('Password*')).toBeVisible();
  screen.getByRole('heading', { level: 1 }).focus();
  await user.tab();
  expect(okta).toHaveFocus();
});

it('offers only the providers where passwords are switched off', async () => {
  await openSignIn({ signInProviders: providers, passwords: false, firstAccount: true });
  expect(screen.getAllByRole('link', { name: /^Continue with/ })).toHaveLength(2);
  expect(screen.queryByLabelText('Password*')).toBeNull();
  expect(screen.queryByRole('button')).toBeNull();
});

it('offers none without providers', async () => {
  await openSignIn({});
  expect(screen.queryByRole('link', { name: /^Continue with/ })).toBeNull();
});
