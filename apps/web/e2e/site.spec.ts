import { expect, test } from './fixtures';
import { expectNothingMoved, watchShifts } from './layout-shifts';

test('the landing page leads to its parts, to the sign-in page and to the pages at its foot', async ({
  page,
}) => {
  test.slow();
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const navigation = page.getByRole('navigation', { name: 'Main' });
  for (const [name, id] of [
    ['Documentation', 'documentation'],
    ['Resources', 'resources'],
    ['Request preview', 'request-preview'],
    ['Pricing', 'pricing'],
  ] as const) {
    await navigation.getByRole('link', { name }).click();
    await expect(page).toHaveURL(`/#${id}`);
    await expect(page.locator(`#${id}`).getByRole('heading', { level: 2 })).toBeInViewport();
    await expect(page.locator(`#${id}`)).toBeFocused();
  }
  for (const name of ['Login', 'Get started', 'Start for free']) {
    await page.goto('/');
    await page.getByRole('link', { name }).click();
    await expect(page).toHaveURL('/login');
  }
  for (const [name, heading] of [
    ['About', 'About Allclear'],
    ['Blog', 'Blog'],
    ['Careers', 'Careers'],
    ['Legal', 'Legal'],
  ] as const) {
    await page.goto('/');
    const foot = page.getByRole('navigation', { name: 'Footer' });
    await foot.getByRole('link', { name, exact: true }).click();
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
    // The server responds to each with a page of its own, too.
    expect((await page.reload())?.status()).toBe(200);
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
  }
});

test('the landing page shows the product in the theme that is chosen', async ({ page }) => {
  await page.goto('/');
  const picture = page.getByRole('img', { name: /^A status page/ });
  const isDrawn = () => picture.evaluate((image: HTMLImageElement) => image.naturalWidth > 0);
  await expect.poll(isDrawn).toBe(true);
  await expect(picture).toHaveAttribute('src', /status-page-dark/);
  await page.getByRole('button', { name: 'Theme: Dark' }).click();
  await page.getByRole('menuitemradio', { name: 'Light' }).click();
  await expect(picture).toHaveAttribute('src', /status-page-light/);
  await expect.poll(isDrawn).toBe(true);
});

test('nothing on the landing page moves while it is loaded', async ({ page }) => {
  await watchShifts(page);
  await page.goto('/');
  for (const image of await page.getByRole('img').all()) {
    await image.scrollIntoViewIfNeeded();
    await expect
      .poll(() =>
        image.evaluate((it) => it instanceof SVGElement || (it as HTMLImageElement).complete),
      )
      .toBe(true);
  }
  await expectNothingMoved(page);
});

test('the guides lead to one another, to their parts and to the API', async ({ page }) => {
  await page.goto('/docs');
  const guides = page.getByRole('navigation', { name: 'Guides' });
  await guides.getByRole('link', { name: 'Quick start' }).click();
  await expect(page).toHaveURL('/docs/quick-start');
  await expect(page.getByRole('heading', { level: 1, name: 'Quick start' })).toBeVisible();

  await page.getByRole('article').getByRole('link', { name: 'Configuration' }).first().click();
  await expect(page.getByRole('heading', { level: 1, name: 'Configuration' })).toBeVisible();
  expect(await page.evaluate(() => scrollY)).toBe(0);

  const parts = page.getByRole('navigation', { name: 'On this page' });
  await parts.getByRole('link', { name: 'Limits' }).click();
  await expect(page).toHaveURL('/docs/configuration#limits');
  await expect(page.getByRole('heading', { name: 'Limits' })).toBeInViewport();

  await page.goto('/docs/configuration#realtime');
  await expect(page.getByRole('heading', { name: 'Realtime' })).toBeInViewport();

  await guides.getByRole('link', { name: 'API reference' }).click();
  const call = page.locator('details', { hasText: '/api/v1/component/create' });
  await call.locator('summary').click();
  await expect(call.getByRole('list', { name: 'Body' })).toContainText('description');
});

test('a guide that is not there is not found', async ({ page }) => {
  await page.goto('/docs/nowhere');
  await expect(page.getByRole('heading', { name: 'Page Not Found' })).toBeVisible();
});

test('code of a guide is copied by its button', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/docs/quick-start');
  await page.getByRole('button', { name: 'Copy' }).first().click();
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('./just demo');
});

test('a signed-in user reads the guides and returns to the app', async ({ operatorPage }) => {
  await operatorPage.goto('/dashboard');
  await operatorPage.getByRole('link', { name: 'Documentation' }).click();
  await expect(
    operatorPage.getByRole('heading', { level: 1, name: 'Documentation' }),
  ).toBeVisible();
  await expect(operatorPage.getByRole('link', { name: 'Login' })).toBeHidden();
  await operatorPage.getByRole('link', { name: 'Dashboard' }).click();
  await expect(operatorPage).toHaveURL('/dashboard');
});

test('on a phone the guides fold away and nothing has to be scrolled sideways', async ({
  page,
}) => {
  await page.setViewportSize({ width: 320, height: 640 });
  for (const path of [
    '/',
    '/docs',
    '/docs/configuration',
    '/docs/api',
    '/docs/api-reference',
    '/blog',
    '/legal',
  ]) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    const overhang = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overhang, path).toBe(0);
  }
  await page.goto('/docs');
  await page.getByRole('button', { name: 'Guides' }).click();
  await page.getByRole('link', { name: 'Mail', exact: true }).first().click();
  await expect(page.getByRole('heading', { level: 1, name: 'Mail' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Guides' })).toHaveAttribute(
    'aria-expanded',
    'false',
  );
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('menuitem', { name: 'Blog' }).click();
  await expect(page).toHaveURL('/blog');
});
