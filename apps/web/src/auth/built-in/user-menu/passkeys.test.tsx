import { screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, it, vi } from 'vitest';
import { withPasskeys } from '@/auth/built-in/passkey/testing';
import { renderPiece, serveSession, sessionOf } from '@/auth/built-in/testing';
import type { Factors, Passkey } from '@/auth/built-in/types';
import { endpoints } from '@/paths';
import { apiUrl, problem, server, success } from '@/testing/server';
import { UserMenu } from './user-menu';

vi.mock('@simplewebauthn/browser', () => import('@/auth/built-in/passkey/testing'));

const phone: Passkey = {
  id: 'p-1',
  name: 'Phone',
  createdAt: '2026-01-01T10:00:00.000Z',
  lastUsedAt: null,
};

function serveFactors(passkeys: Passkey[]) {
  const backend = {
    factors: { totp: null, passkeys, recoveryCodes: passkeys.length > 0 ? 10 : 0 } as Factors,
  };
  const change = (changed: Passkey[]) => {
    backend.factors = { ...backend.factors, passkeys: changed };
  };
  server.use(
    http.get(apiUrl(endpoints.identity.factors), () => success(backend.factors)),
    http.post(apiUrl(endpoints.identity.passkeyOptions), () => success({ challenge: 'abc' })),
    http.post(apiUrl(endpoints.identity.passkeys), async ({ request }) => {
      const { name, response } = (await request.json()) as { name: string; response: unknown };
      expect(response).toEqual({ id: 'credential' });
      const passkey = { ...phone, id: 'p-2', name };
      const isFirst = backend.factors.passkeys.length === 0;
      change([...backend.factors.passkeys, passkey]);
      return success({ passkey, recoveryCodes: isFirst ? ['aaaaaa-bbbbbb'] : null });
    }),
    http.patch(apiUrl(endpoints.identity.passkey('p-1')), async ({ request }) => {
      const { name } = (await request.json()) as { name: string };
      if (name === 'taken') return problem(422, 'Invalid', [{ field: 'name', message: 'Taken' }]);
      change([{ ...phone, name }]);
      return success({ ...phone, name });
    }),
    http.delete(apiUrl(endpoints.identity.passkey('p-1')), () => {
      change([]);
      return success({ id: 'p-1' });
    }),
  );
}

async function openFactors(passkeys: Passkey[]) {
  serveFactors(passkeys);
  serveSession(sessionOf());
  const { user } = renderPiece(UserMenu, 'signed-in');
  await user.click(await screen.findByRole('button', { name: /^Account of/ }));
  await user.click(screen.getByRole('menuitem', { name: 'Profile' }));
  await user.click(screen.getByRole('tab', { name: 'Second factor' }));
  return user;
}

it('adds the first passkey under its name and shows the recovery codes', async () => {
  const { create } = withPasskeys();
  const user = await openFactors([]);
  await user.click(await screen.findByRole('button', { name: 'Add passkey' }));
  const name = screen.getByDisplayValue('Passkey');
  await user.clear(name);
  await user.type(name, 'Laptop');
  create.mockRejectedValueOnce(new DOMException('cancelled', 'NotAllowedError'));
  await user.click(screen.getByRole('button', { name: 'Create passkey' }));
  expect(await screen.findByText('No passkey was added. Try again.')).toBeVisible();
  create.mockResolvedValueOnce({ id: 'credential' });
  await user.click(screen.getByRole('button', { name: 'Create passkey' }));
  expect(await screen.findByText('aaaaaa-bbbbbb')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'I have kept them' }));
  const list = await screen.findByRole('list', { name: 'Passkeys' });
  expect(within(list).getByText('Laptop')).toBeVisible();
});

it('does not cancel a passkey that is being added', async () => {
  const { create } = withPasskeys();
  create.mockReturnValueOnce(new Promise(() => undefined));
  const user = await openFactors([]);
  await user.click(await screen.findByRole('button', { name: 'Add passkey' }));
  await user.click(screen.getByRole('button', { name: 'Create passkey' }));
  expect(screen.getByRole('button', { name: 'Cancel' })).toBeDisabled();
});

it('adds a further passkey without recovery codes', async () => {
  const { create } = withPasskeys();
  const user = await openFactors([{ ...phone, name: 'Passkey' }]);
  await user.click(await screen.findByRole('button', { name: 'Add passkey' }));
  create.mockResolvedValueOnce({ id: 'credential' });
  await user.click(screen.getByRole('button', { name: 'Create passkey' }));
  expect(await screen.findByText('Passkey added')).toBeVisible();
  const list = screen.getByRole('list', { name: 'Passkeys' });
  expect(await within(list).findByText('Passkey 2')).toBeVisible();
});

it('says that a device has a passkey already', async () => {
  const { create } = withPasskeys();
  const user = await openFactors([phone]);
  await user.click(await screen.findByRole('button', { name: 'Add passkey' }));
  create.mockRejectedValueOnce(new DOMException('known', 'InvalidStateError'));
  await user.click(screen.getByRole('button', { name: 'Create passkey' }));
  expect(
    await screen.findByText('This device or security key has a passkey of your account already.'),
  ).toBeVisible();
});

it('renames a passkey', async () => {
  withPasskeys();
  const user = await openFactors([phone]);
  await user.click(await screen.findByRole('button', { name: 'Rename passkey: Phone' }));
  const name = screen.getByDisplayValue('Phone');
  await user.clear(name);
  await user.type(name, 'taken');
  await user.click(screen.getByRole('button', { name: 'Rename' }));
  expect(await screen.findByText('Taken')).toBeVisible();
  await user.clear(name);
  await user.type(name, 'Work phone');
  await user.click(screen.getByRole('button', { name: 'Rename' }));
  expect(await screen.findByText('Work phone')).toBeVisible();
});

it('removes a passkey after a question, also in a browser without passkeys', async () => {
  const user = await openFactors([phone]);
  expect(await screen.findByText('Never used')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Add passkey' })).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Remove passkey: Phone' }));
  expect(await screen.findByText(/Your password alone is enough/)).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Remove' }));
  await waitFor(() => expect(screen.queryByText('Phone')).not.toBeInTheDocument());
  expect(await screen.findByText('Passkey removed')).toBeVisible();
});
