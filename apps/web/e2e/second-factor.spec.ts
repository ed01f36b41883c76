import { createHmac } from 'node:crypto';
import { expect, test } from './fixtures';
import { field, openProfile, signIn, signOut, userMenu } from './profile';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The code that an authenticator app shows, so many time steps from now (RFC 6238). */
function codeOf(secret: string, steps: number): string {
  const bits = Array.from(secret, (character) =>
    alphabet.indexOf(character).toString(2).padStart(5, '0'),
  ).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const hmac = createHmac('sha1', key).update(counter).digest();
  const offset = (hmac.at(-1) ?? 0) & 0xf;
  const number = hmac.readUInt32BE(offset) & 0x7fffffff;
  return (number % 1_000_000).toString().padStart(6, '0');
}

test('an authenticator app is added, asked for at the next sign-in, and replaced once by a recovery code', async ({
  page,
  newcomer,
  consoleErrors,
}) => {
  await newcomer.createOrganisation('Looms');
  const { account } = newcomer;
  await newcomer.signIn(page.context());
  await page.goto('/dashboard');
  await openProfile(page, account, 'Second factor');
  await page.getByRole('button', { name: 'Add authenticator app' }).click();
  await expect(page.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible();
  const secret = await page.getByLabel('Secret', { exact: true }).inputValue();
  await field(page, 'Code').fill(codeOf(secret, 0));
  await page.getByRole('button', { name: 'Confirm' }).click();
  const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
  await expect(codes).toHaveCount(10);
  const recoveryCode = (await codes.first().textContent()) ?? '';
  await page.getByRole('button', { name: 'I have kept them' }).click();
  await expect(page.getByText('10 are left')).toBeVisible();
  await page.getByRole('button', { name: 'Close' }).click();

  await signOut(page, account);
  await signIn(page, account);
  await expect(page.getByRole('heading', { name: 'Enter your code' })).toBeFocused();
  await field(page, 'Code').fill('not a code');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByRole('alert')).toHaveText('Wrong code');
  expect(consoleErrors.splice(0)).toEqual([expect.stringContaining('401')]);
  // A code works once, so this is the next one.
  await field(page, 'Code').fill(codeOf(secret, 1));
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(userMenu(page, account)).toBeVisible();

  await signOut(page, account);
  await signIn(page, account);
  await field(page, 'Code').fill(recoveryCode);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(userMenu(page, account)).toBeVisible();
  await openProfile(page, account, 'Second factor');
  await expect(page.getByText('9 are left')).toBeVisible();
});

test('sessions are listed, and another one is ended', async ({
  page,
  newcomer,
  browser,
  server,
}) => {
  await newcomer.createOrganisation('Looms');
  const { account } = newcomer;
  await newcomer.signIn(page.context());
  await page.goto('/dashboard');
  const elsewhere = await browser.newContext({ baseURL: server.url });
  const there = await elsewhere.newPage();
  await signIn(there, account);
  await expect(userMenu(there, account)).toBeVisible();

  await openProfile(page, account, 'Sessions');
  const sessions = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');
  await expect(sessions).toHaveCount(2);
  await expect(sessions.filter({ hasText: 'This session' })).toHaveCount(1);
  await page.getByRole('button', { name: /^End session: Chrome on / }).click();
  await expect(sessions).toHaveCount(1);
  const session = await there.request.get('/api/v1/identity/session');
  expect(await session.json()).toMatchObject({ data: null });
  await elsewhere.close();
});
