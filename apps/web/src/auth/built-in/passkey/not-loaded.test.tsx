import { screen } from '@testing-library/react';
import { http } from 'msw';
import { expect, it, vi } from 'vitest';
import { renderPiece, serveSession } from '@/auth/built-in/testing';
import { endpoints } from '@/paths';
import { apiUrl, server, success } from '@/testing/server';
import { PasskeyButton } from './passkey-button';

vi.mock('@simplewebauthn/browser', () => {
  throw new TypeError('Failed to fetch dynamically imported module');
});

it('says that no passkey was used if the code for passkeys cannot be loaded', async () => {
  vi.stubGlobal('PublicKeyCredential', vi.fn());
  serveSession(null);
  server.use(
    http.post(apiUrl(endpoints.identity.signInPasskey.options), () =>
      success({ challenge: 'AAAA' }),
    ),
  );
  const onDone = vi.fn();
  const { user } = renderPiece(
    () => <PasskeyButton purpose="signIn" onDone={onDone} />,
    'signed-out',
  );
  await user.click(await screen.findByRole('button', { name: 'Use a passkey' }));
  expect(
    await screen.findByText('No passkey was used. Try again, or sign in another way.'),
  ).toBeVisible();
  expect(onDone).not.toHaveBeenCalled();
});
