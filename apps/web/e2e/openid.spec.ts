import { AxeBuilder } from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
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

test('a person signs in with a provider, works, and signs out of both', async ({ page }) => {
  await page.goto(`${server.url}/login`);
  const button = page.getByRole('link', { name: 'Continue with Example ID' });
  await expect(button).toBeVisible();
  await expect(page.getByLabel('Password')).toHaveCount(0);
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);

  await button.press('Enter');
  await page.getByPlaceholder('Enter any login').fill('grace@example.com');
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();

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
  await page.getByRole('link', { name: 'Continue with Example ID' }).click();
  await page.getByPlaceholder('Enter any login').fill('grace@elsewhere.example');
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  const text = 'Your mail address is not one of those that may sign in here.';
  await expect(page.getByRole('alert')).toHaveText(text);
});
