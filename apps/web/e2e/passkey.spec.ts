import type { CDPSession, Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { signIn, signOut, openProfile, userMenu, field } from './profile';

/** Chromium's virtual authenticator (WebAuthn over the DevTools protocol). */
class VirtualAuthenticator {
  readonly #devTools: CDPSession;
  readonly #id: string;

  private constructor(devTools: CDPSession, id: string) {
    this.#devTools = devTools;
    this.#id = id;
  }

  /** Adds an authenticator to the browser of a page. */
  static async of(page: Page): Promise<VirtualAuthenticator> {
    const devTools = await page.context().newCDPSession(page);
    await devTools.send('WebAuthn.enable');
    const { authenticatorId } = await devTools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return new VirtualAuthenticator(devTools, authenticatorId);
  }

  async credentials() {
    const authenticatorId = this.#id;
    const { credentials } = await this.#devTools.send('WebAuthn.getCredentials', {
      authenticatorId,
    });
    return credentials;
  }

  /** Sets the signature counter of the only credential, as that of a copy would be. */
  async setCounter(signCount: number) {
    const [credential] = await this.credentials();
    if (credential === undefined) throw new Error('the authenticator has no credential');
    const authenticatorId = this.#id;
    await this.#devTools.send('WebAuthn.removeCredential', {
      authenticatorId,
      credentialId: credential.credentialId,
    });
    await this.#devTools.send('WebAuthn.addCredential', {
      authenticatorId,
      credential: { ...credential, signCount },
    });
  }

  async verifyUser(isUserVerified: boolean) {
    const authenticatorId = this.#id;
    await this.#devTools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
  }

  /** The device is lost. */
  async remove() {
    await this.#devTools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: this.#id });
  }
}

/** Adds the first passkey; returns the recovery codes. */
async function enrol(page: Page, name: string): Promise<string[]> {
  await page.getByRole('button', { name: 'Add passkey' }).click();
  await page.getByRole('tabpanel').getByLabel('Name', { exact: true }).fill(name);
  await page.getByRole('button', { name: 'Create passkey' }).click();
  const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
  await expect(codes).toHaveCount(10);
  const texts = await codes.allTextContents();
  await page.getByRole('button', { name: 'I have kept them' }).click();
  await expect(page.getByRole('list', { name: 'Passkeys' })).toContainText(name);
  await expect(page.getByText('10 are left')).toBeVisible();
  await page.getByRole('button', { name: 'Close' }).click();
  return texts;
}

const passkeySignIn = (page: Page) => page.getByRole('button', { name: 'Use a passkey' });

test('a passkey is added, signs in alone and after the password, and is replaced once by each recovery code', async ({
  page,
  newcomer,
  consoleErrors,
}) => {
  await newcomer.createOrganisation('Looms');
  const { account } = newcomer;
  await newcomer.signIn(page.context());
  await page.goto('/dashboard');
  const authenticator = await VirtualAuthenticator.of(page);
  await openProfile(page, account, 'Second factor');
  const codes = await enrol(page, 'Laptop');
  expect(await authenticator.credentials()).toHaveLength(1);

  await signOut(page, account);
  await page.goto('/login');
  await passkeySignIn(page).click();
  await expect(userMenu(page, account)).toBeVisible();
  await openProfile(page, account, 'Second factor');
  await expect(page.getByRole('list', { name: 'Passkeys' })).toContainText('Last used');
  await page.getByRole('button', { name: 'Close' }).click();

  await signOut(page, account);
  await signIn(page, account);
  await expect(page.getByRole('heading', { name: 'Use your second factor' })).toBeFocused();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await expect(userMenu(page, account)).toBeVisible();

  await signOut(page, account);
  await authenticator.remove();
  for (const code of codes.slice(0, 2)) {
    await signIn(page, account);
    await field(page, 'Recovery code').fill(code);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expect(userMenu(page, account)).toBeVisible();
    await signOut(page, account);
  }
  await signIn(page, account);
  await field(page, 'Recovery code').fill(codes[0] ?? '');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByRole('alert')).toHaveText('Wrong code');
  expect(consoleErrors.splice(0)).toEqual([expect.stringContaining('401')]);
});

test('a copied passkey and one whose user is not verified sign nobody in', async ({
  page,
  newcomer,
  consoleErrors,
}) => {
  await newcomer.createOrganisation('Looms');
  const { account } = newcomer;
  await newcomer.signIn(page.context());
  await page.goto('/dashboard');
  const authenticator = await VirtualAuthenticator.of(page);
  await openProfile(page, account, 'Second factor');
  await enrol(page, 'Laptop');
  await authenticator.setCounter(100);
  await signOut(page, account);
  await page.goto('/login');
  await passkeySignIn(page).click();
  await expect(userMenu(page, account)).toBeVisible();
  await signOut(page, account);

  await authenticator.setCounter(50);
  await page.goto('/login');
  await passkeySignIn(page).click();
  await expect(page.getByRole('alert')).toHaveText('This passkey was not accepted');
  expect(consoleErrors.splice(0)).toEqual([expect.stringContaining('401')]);

  await authenticator.setCounter(200);
  await authenticator.verifyUser(false);
  await passkeySignIn(page).click();
  await expect(page.getByRole('alert')).toContainText('No passkey was used.');
  await authenticator.verifyUser(true);
  await passkeySignIn(page).click();
  await expect(userMenu(page, account)).toBeVisible();
});

test('a passkey is renamed and removed', async ({ page, newcomer }) => {
  await newcomer.createOrganisation('Looms');
  const { account } = newcomer;
  await newcomer.signIn(page.context());
  await page.goto('/dashboard');
  await VirtualAuthenticator.of(page);
  await openProfile(page, account, 'Second factor');
  await enrol(page, 'Laptop');
  await openProfile(page, account, 'Second factor');
  await page.getByRole('button', { name: 'Rename passkey: Laptop' }).click();
  await page.getByRole('tabpanel').getByLabel('Name', { exact: true }).fill('Work laptop');
  await page.getByRole('button', { name: 'Rename', exact: true }).click();
  await page.getByRole('button', { name: 'Remove passkey: Work laptop' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await expect(page.getByRole('list', { name: 'Passkeys' })).toBeHidden();
  await page.getByRole('button', { name: 'Close' }).click();
  await signOut(page, account);
  await signIn(page, account);
  await expect(userMenu(page, account)).toBeVisible();
});
