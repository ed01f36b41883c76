import { expect, test, type Page } from '@playwright/test';
import { axe } from './axe';
import { OpenIdProvider } from './openid-provider';
import { Server } from './server';

let server: Server;
let provider: OpenIdProvider;

test.beforeAll(async () => {
  server = await Server.start();
  provider = await OpenIdProvider.start(server.url);
  await server.stop();
  await server.startAgain({ ...provider.settings(), ALLCLEAR_PUBLIC_URL: server.url });
});

test.afterAll(async () => {
  provider.stop();
  await server.remove();
});

/** Signs a person in at the pages of the provider. */
async function signInAtProvider(page: Page, login: string) {
  await page.getByPlaceholder('Enter any login').fill(login);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
}

/** Signs a person in and creates an organisation. */
async function signInWithOrganisation(page: Page, login: string) {
  await page.goto(`${server.url}/login`);
  await page.getByRole('button', { name: 'Continue with Example ID' }).click();
  await signInAtProvider(page, login);
  await page.getByLabel('Name').fill('Looms');
  await page.getByRole('button', { name: 'Create organisation' }).click();
  await expect(page).toHaveURL(/\/dashboard$/);
}

test('a person signs in with a provider, works, and signs out of both', async ({ page }) => {
  await page.goto(`${server.url}/login`);
  const button = page.getByRole('button', { name: 'Continue with Example ID' });
  await expect(button).toBeVisible();
  await expect(page.getByLabel('Password')).toHaveCount(0);
  expect((await axe(page).analyze()).violations).toEqual([]);

  await button.press('Enter');
  await signInAtProvider(page, 'grace@example.com');

  await page.getByLabel('Name').fill('Acme');
  await page.getByRole('button', { name: 'Create organisation' }).click();
  await expect(page).toHaveURL(/\/dashboard$/);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();

  await page.getByRole('button', { name: /Grace Hopper/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByText('Do you want to sign-out from')).toBeVisible();
  await page.getByRole('button', { name: 'Yes, sign me out' }).click();
  await expect(page).toHaveURL(`${server.url}/login`);
  await expect(button).toBeVisible();
});

test('a failed sign-in is explained on the sign-in page', async ({ page }) => {
  await page.goto(`${server.url}/login`);
  await page.getByRole('button', { name: 'Continue with Example ID' }).click();
  await signInAtProvider(page, 'grace@elsewhere.example');
  const text = 'Your mail address is not one of those that may sign in here.';
  await expect(page.getByRole('alert')).toHaveText(text);
});

test('a sensitive change is confirmed in a window of the provider, and what was typed is kept', async ({
  page,
}) => {
  await signInWithOrganisation(page, 'hopper@example.com');
  // As if the sign-in were older than ten minutes; everything else is the real server's.
  await page.route('**/api/v1/identity/user/totp', (route) =>
    route.fulfill({
      status: 403,
      json: { type: '/problems/re-authentication-required', message: 'Please confirm' },
    }),
  );
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Profile' }).click();
  await expect(page.getByRole('tab', { name: 'Password' })).toHaveCount(0);
  await page.getByRole('textbox', { name: 'Name' }).fill('Rear Admiral Hopper');
  await page.getByRole('tab', { name: 'Second factor' }).click();
  await page.getByRole('button', { name: 'Add authenticator app' }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await expect(dialog.getByLabel('Password')).toHaveCount(0);
  expect((await axe(page).analyze()).violations).toEqual([]);

  const another = page.waitForEvent('popup');
  await dialog.getByRole('button', { name: 'Continue with Example ID' }).click();
  const wrong = await another;
  await signInAtProvider(wrong, 'mallory@example.com');
  await expect(wrong.getByRole('alert')).toContainText('as another person');
  await expect(dialog).toBeVisible();
  const wrongClosed = wrong.waitForEvent('close');
  // A click that closes its own window may not return before the window is gone.
  await wrong
    .getByRole('button', { name: 'Close' })
    .evaluate((button: HTMLElement) => setTimeout(() => button.click()));
  await wrongClosed;

  await page.unroute('**/api/v1/identity/user/totp');
  const opened = page.waitForEvent('popup');
  await dialog.getByRole('button', { name: 'Continue with Example ID' }).click();
  const popup = await opened;
  const closed = popup.waitForEvent('close');
  await signInAtProvider(popup, 'hopper@example.com');
  await closed;
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible();
  await page.getByRole('tab', { name: 'Name' }).click();
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('Rear Admiral Hopper');
});

test('a session that has ended is begun again in a window of the provider, over the typed text', async ({
  page,
}) => {
  await signInWithOrganisation(page, 'lovelace@example.com');
  await page.goto(`${server.url}/incidents/incident/create`);
  await page.getByRole('textbox', { name: 'Title' }).fill('Payments fail');
  await page.getByRole('textbox', { name: 'Description' }).fill('Cards are declined.');
  const signOut = `${server.url}/api/v1/identity/sign-out`;
  expect((await page.context().request.post(signOut, { data: {} })).ok()).toBe(true);
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await expect(dialog).toBeVisible();
  await expect(dialog.getByLabel('Password')).toHaveCount(0);
  const opened = page.waitForEvent('popup');
  await dialog.getByRole('button', { name: 'Continue with Example ID' }).click();
  // The provider still knows the browser.
  await (await opened).waitForEvent('close');
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('textbox', { name: 'Title' })).toHaveValue('Payments fail');
  await page.getByRole('button', { name: 'Create Incident' }).click();
  await expect(page.getByText('Incident Created', { exact: true })).toBeVisible();
});
