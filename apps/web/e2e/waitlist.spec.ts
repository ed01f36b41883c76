import type { Page } from '@playwright/test';
import { axe } from './axe';
import { accountOf, expect, test } from './fixtures';
import { Operator, type Account } from './operator';
import { Server } from './server';

const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });

async function expectAccessible(page: Page) {
  const { violations } = await axe(page).analyze();
  expect(violations).toEqual([]);
}

async function join(page: Page, url: string, call: string, { name, email }: Account) {
  await page.goto(url);
  await page.getByRole('link', { name: call }).click();
  await expect(page.getByRole('heading', { name: 'Join the waitlist' })).toBeVisible();
  await expectAccessible(page);
  await field(page, 'Name').fill(name);
  await field(page, 'Email').fill(email);
  await page.getByRole('button', { name: 'Join the waitlist' }).click();
  await expect(page.getByRole('heading', { name: 'Thank you' })).toBeVisible();
}

async function signUp(page: Page, link: string, { name, email, password }: Account) {
  await page.goto(link);
  await expect(field(page, 'Email')).toHaveValue(email);
  await field(page, 'Name').fill(name);
  await field(page, 'Password').fill(password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByRole('heading', { name: 'Welcome to Allclear' })).toBeVisible();
}

test('the administrator admits waiting people on the screen and on the command line', async ({
  page,
  browser,
  playwright,
}) => {
  test.slow();
  const server = await Server.start({ ALLCLEAR_SIGN_UP: 'waitlist' });
  const request = await playwright.request.newContext({ baseURL: server.url });
  const administrator = new Operator(accountOf('Ada Lovelace'), request);
  await administrator.signUp(server);
  await administrator.createOrganisation('Analytical Engines');
  const mary = accountOf('Mary Somerville');
  const annie = accountOf('Annie Cannon');

  await join(page, server.url, 'Get started', mary);
  await join(page, server.url, 'Start for free', annie);

  const operatorPage = await browser.newContext({ baseURL: server.url });
  await administrator.signIn(operatorPage);
  const screen = await operatorPage.newPage();
  await screen.goto('/dashboard');
  await screen.getByRole('button', { name: 'Account of Ada Lovelace' }).click();
  await screen.getByRole('menuitem', { name: 'Waitlist' }).click();
  await expect(screen.getByRole('list', { name: 'Waitlist' })).toContainText(annie.email);
  await expectAccessible(screen);
  await screen.getByRole('button', { name: `Invite ${mary.name}` }).click();
  await expect(screen.getByText(`Invitation sent to ${mary.email}`)).toBeVisible();
  await expect(screen.getByRole('button', { name: `Invite ${mary.name}` })).toBeHidden();
  await signUp(page, await server.mailedLink(mary.email), mary);

  const link = await server.run('invite', annie.email);
  const guest = await browser.newContext({ baseURL: server.url });
  await signUp(await guest.newPage(), link, annie);

  for (const context of [operatorPage, guest]) await context.close();
  await page.close();
  await request.dispose();
  await server.remove();
});
