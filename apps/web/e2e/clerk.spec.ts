import type { Page } from '@playwright/test';
import { expect, test } from './clerk-fixtures';
import type { Person } from './clerk-payloads';

const arrivesAt = (page: Page, path: string) =>
  expect(page).toHaveURL(({ pathname }) => pathname === path);
const switcher = (page: Page) => page.getByRole('button', { name: 'organization switcher' });
const userButton = (page: Page) => page.getByRole('button', { name: 'Open user menu' });
const isLive = (page: Page) => expect(page.getByText('Live updates: connected')).toBeAttached();

async function signIn(page: Page, { email, password }: Person) {
  await page.goto('/login');
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
}

/**
 * Chooses an item of an open menu. Clerk draws its menus again while it loads, and may lose a
 * click meanwhile.
 */
async function choose(page: Page, name: string) {
  const item = page.getByRole('menuitem', { name });
  await item.waitFor();
  await expect(async () => {
    if (await item.isVisible()) await item.click({ timeout: 2_000 });
    await expect(item).toBeHidden({ timeout: 2_000 });
  }).toPass();
}

async function createComponent(page: Page, name: string) {
  await page.getByRole('link', { name: 'New Component' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByRole('cell', { name, exact: true })).toBeVisible();
}

test('a new user signs in, creates an organisation and works in it', async ({ page, clerk }) => {
  const ada = clerk.instance.addPerson('Ada', 'Lovelace');
  await signIn(page, ada);
  await arrivesAt(page, '/onboarding');
  await expect(page.getByRole('heading', { name: 'Welcome to Allclear' })).toBeVisible();
  await page.goto('/components');
  await arrivesAt(page, '/onboarding');

  await page.getByLabel('Name').fill('Analytical Engines');
  await page.getByRole('button', { name: 'Create organization' }).click();
  await arrivesAt(page, '/dashboard');
  await expect(switcher(page)).toContainText('Analytical Engines');
  await expect(page.getByText('Ada Lovelace')).toBeVisible();

  await page.getByRole('link', { name: 'Components' }).click();
  await isLive(page);
  await createComponent(page, 'Mill');
  await page.reload();
  await expect(page.getByRole('cell', { name: 'Mill', exact: true })).toBeVisible();

  await page.goto('/login');
  await arrivesAt(page, '/dashboard');
});

test('another organisation takes the whole app over, from a list and from an item', async ({
  page,
  clerk,
}) => {
  const ada = clerk.instance.addPerson('Ada', 'King');
  const first = clerk.instance.addOrganisation('Looms', ada);
  const second = clerk.instance.addOrganisation('Kilns', ada);
  await signIn(page, ada);
  await arrivesAt(page, '/onboarding');
  await page.getByText(first.name).click();
  await arrivesAt(page, '/dashboard');

  await page.getByRole('link', { name: 'Components' }).click();
  await createComponent(page, 'Shuttle');
  await page.getByRole('checkbox', { name: 'Select Shuttle' }).check();
  await expect(page.getByText('1 selected')).toBeVisible();
  await switcher(page).click();
  await expect(page.getByText('Personal account')).toBeHidden();
  await choose(page, second.name);
  await expect(page.getByText('No Data')).toBeVisible();
  await expect(page.getByText('Shuttle')).toBeHidden();
  await expect(page.getByText('1 selected')).toBeHidden();
  await isLive(page);

  await switcher(page).click();
  await choose(page, first.name);
  await page.getByRole('link', { name: 'Edit Shuttle' }).click();
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('Shuttle');
  await switcher(page).click();
  await choose(page, second.name);
  await arrivesAt(page, '/components');
  await expect(page.getByText('No Data')).toBeVisible();
});

test('the panel of the organisation is on a screen of its own', async ({ page, clerk }) => {
  const ada = clerk.instance.addPerson('Ada', 'Noel');
  clerk.instance.addOrganisation('Ferries', ada);
  await signIn(page, ada);
  await page.getByText('Ferries').click();
  await switcher(page).click();
  await choose(page, 'Manage');
  await arrivesAt(page, '/organisation');
  await page.getByRole('button', { name: 'Members' }).click();
  await expect(page.getByRole('cell', { name: /Ada Noel/ })).toContainText(ada.email);
  await arrivesAt(page, '/organisation');
});

test('signing out drops the socket, in every tab', async ({ page, context, clerk }) => {
  const ada = clerk.instance.addPerson('Ada', 'Gordon');
  clerk.instance.addOrganisation('Bridges', ada);
  const sockets: string[] = [];
  page.on('websocket', (socket) => {
    sockets.push('open');
    socket.on('close', () => sockets.push('closed'));
  });
  await signIn(page, ada);
  await page.getByText('Bridges').click();
  await arrivesAt(page, '/dashboard');
  await isLive(page);
  await expect.poll(() => sockets).toEqual(['open']);

  await userButton(page).click();
  await choose(page, 'Sign out');
  await arrivesAt(page, '/');
  await expect.poll(() => sockets).toEqual(['open', 'closed']);
  const later = await context.newPage();
  await later.goto('/components');
  await arrivesAt(later, '/');
});

test('a narrow window has the way out in its panel', async ({ page, clerk }) => {
  const ada = clerk.instance.addPerson('Ada', 'Milbanke');
  clerk.instance.addOrganisation('Harbours', ada);
  await page.setViewportSize({ width: 390, height: 800 });
  await signIn(page, ada);
  await page.getByText('Harbours').click();
  await arrivesAt(page, '/dashboard');
  const toggle = page.getByRole('button', { name: /^Toggle sidebar/ });
  await toggle.click();
  await page.getByRole('button', { name: 'Account of Ada Milbanke' }).click();
  await expect(page.getByRole('heading', { name: 'Profile details' })).toBeVisible();
  await page.getByRole('button', { name: 'Close modal' }).click();
  await toggle.click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await arrivesAt(page, '/');
});

test('the public page loads Clerk for a signed-in visitor only', async ({
  page,
  anonymous,
  clerk,
}) => {
  const ada = clerk.instance.addPerson('Ada', 'Leigh');
  const { id } = clerk.instance.addOrganisation('Mills', ada);
  await signIn(page, ada);
  await page.getByText('Mills').click();
  await page.getByRole('link', { name: 'Components' }).click();
  await isLive(page);

  const asked: Record<'operator' | 'anonymous', string[]> = { operator: [], anonymous: [] };
  page.on('request', (request) => asked.operator.push(request.url()));
  anonymous.on('request', (request) => asked.anonymous.push(request.url()));
  for (const visitor of [page, anonymous]) {
    await visitor.goto(`/status/${id}`);
    await expect(visitor.getByText('Live', { exact: true })).toBeVisible();
  }
  const has = (urls: string[], part: string) => urls.some((url) => url.includes(part));
  expect(has(asked.operator, 'clerk.headless.browser.js')).toBe(true);
  expect(has(asked.operator, '/socket.io/')).toBe(true);
  expect(has(asked.operator, '/events')).toBe(false);
  expect(
    asked.anonymous.filter((url) => /clerk|\/socket\.io\/|\/configuration/i.test(url)),
  ).toEqual([]);

  await page.goto('/dashboard');
  await userButton(page).click();
  await choose(page, 'Sign out');
  await arrivesAt(page, '/');
  asked.operator = [];
  await page.goto(`/status/${id}`);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  expect(has(asked.operator, 'clerk')).toBe(false);
});

test('a visitor without an account can join the waitlist', async ({ page, clerk }) => {
  clerk.instance.signUpMode = 'waitlist';
  await page.goto('/login');
  await page.getByRole('link', { name: 'Join waitlist' }).click();
  await expect(page.getByRole('heading', { name: 'Join the waitlist' })).toBeVisible();
  await page.getByLabel('Email address').fill('grace.hopper@example.com');
  await page.getByRole('button', { name: 'Join the waitlist' }).click();
  await expect.poll(() => clerk.instance.waitlist).toEqual(['grace.hopper@example.com']);
  clerk.instance.signUpMode = 'public';
});
