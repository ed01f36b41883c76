import type { Page } from '@playwright/test';
import { accountOf, expect, test } from './fixtures';
import type { Account } from './operator';

const organisationScreens = [
  '/dashboard',
  '/metrics',
  '/components',
  '/components/component/create',
  '/incidents',
  '/incidents/incident/create',
  '/schedules',
  '/schedules/maintenance/create',
  '/subscribers',
];

const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });
const userMenu = (page: Page, { name }: Account) =>
  page.getByRole('button', { name: `Account of ${name}` });
const arrivesAt = (page: Page, path: string) =>
  expect(page).toHaveURL(({ pathname }) => pathname === path);

async function fillSignIn(page: Page, { email }: Account, password: string) {
  await field(page, 'Email').fill(email);
  await field(page, 'Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

async function signOut(page: Page, account: Account) {
  await userMenu(page, account).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
}

test('the first account is made, founds an organisation and arrives on its dashboard', async ({
  page,
  installation,
}) => {
  const account = accountOf('Grace Hopper');
  await page.goto(`${installation.url}/`);
  await page.getByRole('link', { name: 'Get started' }).click();
  await expect(page.getByRole('heading', { name: 'Create the first account' })).toBeVisible();
  await field(page, 'Name').fill(account.name);
  await field(page, 'Email').fill(account.email);
  await field(page, 'Password').fill('too short');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByText('Must be at least 10 characters')).toBeVisible();
  await expect(field(page, 'Password')).toBeFocused();
  await field(page, 'Password').fill(account.password);
  await page.getByRole('button', { name: 'Create account' }).click();

  await arrivesAt(page, '/onboarding');
  await expect(page.getByRole('heading', { name: 'Welcome to Allclear' })).toBeVisible();
  await field(page, 'Name').fill('Analytical Engines');
  await page.getByRole('button', { name: 'Create organisation' }).click();

  await arrivesAt(page, '/dashboard');
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  await expect(page.getByRole('link', { name: /^1 Create a component/ })).toBeVisible();
  await expect(
    page.getByRole('button', { name: 'Organisation: Analytical Engines' }),
  ).toBeVisible();

  await page.reload();
  await expect(userMenu(page, account)).toBeVisible();
  await arrivesAt(page, '/dashboard');
});

test('a wrong password is refused, the right one signs in, and signing out ends the session', async ({
  page,
  newcomer,
  consoleErrors,
}) => {
  await newcomer.createOrganisation('Looms');
  const { account } = newcomer;
  await page.goto('/login');
  await fillSignIn(page, account, 'something else');
  await expect(page.getByRole('alert')).toHaveText('Wrong email or password');
  await expect(field(page, 'Email')).toHaveValue(account.email);
  // The browser reports the rejection.
  expect(consoleErrors.splice(0)).toEqual([expect.stringContaining('401')]);

  await fillSignIn(page, account, account.password);
  await arrivesAt(page, '/dashboard');
  await signOut(page, account);
  await arrivesAt(page, '/');
  await page.goto('/components');
  await arrivesAt(page, '/');
  await page.goBack();
  await expect(userMenu(page, account)).toBeHidden();
});

test('a session that ends while somebody types is begun again in place', async ({
  page,
  newcomer,
  consoleErrors,
}) => {
  await newcomer.createOrganisation('Looms');
  const { account } = newcomer;
  await page.goto('/login');
  await fillSignIn(page, account, account.password);
  await arrivesAt(page, '/dashboard');
  await page.goto('/incidents/incident/create');
  const title = page.getByRole('textbox', { name: 'Title', includeHidden: true });
  await title.fill('Payments fail');
  await page.getByRole('textbox', { name: 'Description' }).fill('Cards are declined.');

  // As from another device: this browser is not told.
  const ended = await page.context().request.post('/api/v1/identity/sign-out', { data: {} });
  expect(ended.ok()).toBe(true);
  // A request that the screen sends by itself may have opened the dialog over the button already.
  const create = page.getByRole('button', { name: 'Create Incident', includeHidden: true });
  await create.dispatchEvent('click');
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await expect(dialog).toBeVisible();
  await expect(title).toHaveValue('Payments fail');
  await field(page, 'Password').fill(account.password);
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText('Incident Created', { exact: true })).toBeVisible();
  // The browser reports the refused requests, and the socket if it was still connecting.
  const isRefusal = (error: string) => /401|Please sign in again/.test(error);
  expect(consoleErrors.splice(0).filter((error) => !isRefusal(error))).toEqual([]);
});

test('a signed-out user sees the landing page instead of the members’ screens', async ({
  page,
  consoleErrors,
  operator,
}) => {
  // Without any account the page of the sign-in offers to create the first one.
  expect(operator.account.name).toBe('Ada Lovelace');
  for (const path of [...organisationScreens, '/onboarding']) {
    await page.goto(path);
    await arrivesAt(page, '/');
    await expect(page.getByRole('link', { name: 'Login' })).toBeVisible();
  }
  await page.goto('/login');
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await arrivesAt(page, '/login');

  const response = await page.goto('/nowhere');
  expect(response?.status()).toBe(404);
  await expect(page.getByRole('heading', { name: 'Page Not Found' })).toBeVisible();
  await expect(page.getByRole('main')).toContainText(
    "Oops! The page you're looking for doesn't exist or has been moved.",
  );
  // The browser reports every 404.
  expect(consoleErrors.splice(0)).toEqual([expect.stringContaining('404')]);
  await page.getByRole('link', { name: 'Back to Home' }).click();
  await arrivesAt(page, '/');
});

test('a user without an organisation is asked to create or join one', async ({
  page,
  newcomer,
}) => {
  await newcomer.signIn(page.context());
  for (const path of ['/', '/login', '/verify', ...organisationScreens]) {
    await page.goto(path);
    await arrivesAt(page, '/onboarding');
  }
  await expect(page.getByRole('heading', { name: 'Create an organisation' })).toBeVisible();
  await page.getByRole('button', { name: 'Create organisation' }).click();
  await expect(page.getByText('Name is required')).toBeVisible();
});

test('a user with an organisation is led to its dashboard, and sees the status page', async ({
  operatorPage,
  organisation,
}) => {
  for (const path of ['/', '/login', '/onboarding']) {
    await operatorPage.goto(path);
    await arrivesAt(operatorPage, '/dashboard');
  }
  await operatorPage.getByRole('link', { name: 'Status Page', exact: true }).click();
  await arrivesAt(operatorPage, organisation.statusPage);
  await expect(
    operatorPage.getByRole('heading', { level: 1, name: organisation.name }),
  ).toBeVisible();
});

test('a person invited by mail creates an account and works in the organisation', async ({
  operatorPage,
  page,
  organisation,
  server,
}) => {
  const { name, email, password } = accountOf('Charles Babbage');
  await organisation.createComponent('Mill');
  await operatorPage.goto('/organisation');
  await field(operatorPage, 'Email').fill(email);
  await operatorPage.getByRole('button', { name: 'Send Invitation' }).click();
  await expect(operatorPage.getByText(`Invitation sent to ${email}`)).toBeVisible();

  const link = await server.mailedLink(email);
  await page.goto(link);
  await expect(page.getByRole('heading', { name: `Join ${organisation.name}` })).toBeVisible();
  await expect(field(page, 'Email')).toHaveValue(email);
  await field(page, 'Name').fill(name);
  await field(page, 'Password').fill(password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await arrivesAt(page, '/dashboard');
  await page.getByRole('link', { name: 'Components', exact: true }).click();
  await expect(page.getByRole('cell', { name: 'Mill', exact: true })).toBeVisible();

  await operatorPage.reload();
  const members = operatorPage.getByRole('list', { name: 'Members' });
  await expect(members.getByRole('listitem').filter({ hasText: name })).toContainText(email);
});

test('a forgotten password is replaced by a mailed link', async ({ page, newcomer, server }) => {
  const { account } = newcomer;
  await page.goto('/login');
  await page.getByRole('button', { name: 'Forgot your password?' }).click();
  await field(page, 'Email').fill(account.email);
  await page.getByRole('button', { name: 'Send the link' }).click();
  await expect(page.getByRole('heading', { name: 'Check your mailbox' })).toBeVisible();

  await page.goto(await server.mailedLink(account.email, '/login?reset='));
  await field(page, 'New password').fill('a few other words');
  await page.getByRole('button', { name: 'Change Password' }).click();
  await expect(page.getByText('Your password is changed. Sign in with the new one.')).toBeVisible();
  await fillSignIn(page, account, 'a few other words');
  await arrivesAt(page, '/onboarding');
});
