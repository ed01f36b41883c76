import { axe } from './axe';
import { expect, test } from './fixtures';
import { scriptsOf } from './loaded-scripts';

test('a visitor sees components appear, change and disappear without reloading', async ({
  page,
  organisation,
}) => {
  await page.goto(organisation.statusPage);
  await expect(page.getByRole('heading', { level: 1, name: organisation.name })).toBeVisible();
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  const components = page.getByRole('region', { name: 'Components' });
  const banner = page.getByRole('region', { name: 'Current status' });
  await expect(banner).toBeHidden();

  const { id } = await organisation.createComponent('Website', { description: 'The shop' });
  await expect(components.getByRole('listitem')).toHaveText(/Website.*The shop.*Operational/);
  await expect(banner).toContainText('All Systems Operational');
  await organisation.createComponent('API');
  await expect(components.getByRole('listitem').first()).toContainText('API');

  await organisation.call('PATCH', `/component/${id}`, { status: 'MAJOR_OUTAGE' });
  await expect(components.getByText('Major Outage')).toBeVisible();
  await expect(banner).toContainText('Some systems are experiencing issues');
  await expect(page).toHaveTitle(`${organisation.name}: Some systems are experiencing issues`);
  await expect(page.locator('link[rel=icon]')).toHaveAttribute('href', '/favicon-major.svg');
  await expect(page.getByRole('log', { name: 'Changes' })).toContainText('Website: Major Outage');

  await organisation.call('DELETE', `/component/${id}`);
  await expect(components.getByText('Website')).toBeHidden();
  await expect(banner).toContainText('All Systems Operational');
});

test('many components that change together are announced in one sentence', async ({
  page,
  organisation,
}) => {
  const components: { componentId: string; status: string }[] = [];
  for (let number = 1; number <= 21; number += 1) {
    const { id } = await organisation.createComponent(`Server ${number}`);
    components.push({ componentId: id, status: 'MAJOR_OUTAGE' });
  }
  await page.goto(organisation.statusPage);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  await organisation.call('POST', '/incident/create', {
    title: 'The power is out',
    description: 'The data centre has no power.',
    status: 'INVESTIGATING',
    occuredAt: new Date().toISOString(),
    components,
  });
  await expect(page.getByRole('log', { name: 'Changes' }).locator('p')).toHaveText([
    'New incident: The power is out, Investigating',
    'Some systems are experiencing issues',
    '21 components have changed',
  ]);
});

test('the first response contains everything that is painted', async ({ page, organisation }) => {
  await organisation.createComponent('Website', { status: 'DEGRADED' });
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(organisation.statusPage);
  await expect(page.getByText('Degraded Performance')).toBeVisible();
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  const calls = asked.filter((path) => path.startsWith('/api/'));
  // The state of the page, and the stream of its changes.
  const state = `/api/v1/status/${organisation.id}`;
  expect(calls).toEqual([state, `${state}/events`]);
});

test('what is painted first waits for nothing but the page, and its script is one file', async ({
  page,
  organisation,
}) => {
  const response = await page.request.get(organisation.statusPage);
  const html = await response.text();
  // A style sheet is for paper and other colours, or for a page without script.
  const screen = html.replace(/<noscript>.*?<\/noscript>/, '');
  expect(screen).not.toMatch(/<link[^>]* rel="(stylesheet"(?![^>]* media="print,)|modulepreload")/);
  // The choice of the theme, one small file that no paint waits for, and data. An injected script
  // would not run.
  const [theme, starter, data, ...others] = [...html.matchAll(/<script[^>]*>/g)].map(
    ([tag]) => tag,
  );
  expect(theme).toBe('<script>');
  expect(starter).toMatch(/^<script async src="\/assets\/starter-[\w-]+\.js">$/);
  expect(data).toBe('<script type="application/json" id="drawn">');
  expect(others).toEqual([]);
  const policy = response.headers()['content-security-policy']?.split('; ');
  expect(policy).toContainEqual(expect.stringMatching(/^script-src 'self' 'sha256-[\w+/]{43}='$/));
  await page.goto(organisation.statusPage);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  // The style is allowed and applied: nothing is as wide as a page without one.
  await expect(page.locator('main')).toHaveCSS('display', 'grid');
  expect(await scriptsOf(page)).toEqual([expect.stringContaining('/assets/starter-')]);
});

test('the first paint of a returning visitor has the light theme, even if the script is late', async ({
  page,
  organisation,
  consoleErrors,
}) => {
  await page.addInitScript(() => localStorage.setItem('allclear:theme', 'light'));
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/assets/*.js', async (route) => {
    await released;
    await route.continue();
  });
  for (const path of [organisation.statusPage, '/status/nobody']) {
    await page.goto(path, { waitUntil: 'commit' });
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.locator('html')).toHaveCSS('background-color', 'rgb(246, 248, 250)', {
      timeout: 1,
    });
    await expect(page.locator('meta[name=theme-color]')).toHaveAttribute('content', '#f6f8fa');
  }
  release();
  // The browser reports the page that does not exist.
  expect(consoleErrors.splice(0)).toEqual([expect.stringContaining('404')]);
});

test('nothing can be pressed before there is anything to keep it', async ({
  page,
  organisation,
}) => {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/assets/starter-*.js', async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(organisation.statusPage, { waitUntil: 'commit' });
  await expect(page.getByRole('heading', { level: 1, name: organisation.name })).toBeVisible();
  const controls = page.locator('[data-script=needed]');
  await expect(controls).toHaveCount(2);
  for (const control of await controls.all()) await expect(control).toBeHidden();
  release();
  await page.getByRole('button', { name: 'Subscribe To Updates' }).click();
  await expect(page.getByRole('dialog', { name: 'Subscribe Via Email' })).toBeVisible();
});

test('a page that was away while the server restarted catches up by itself', async ({
  page,
  organisation,
  server,
  consoleErrors,
}) => {
  const { id } = await organisation.createComponent('Website');
  await page.goto(organisation.statusPage);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();

  await server.stop();
  const indicator = page.locator('.live');
  await expect(indicator).toHaveText(/^Reconnecting · state of \d\d:\d\d [AP]M$/);
  await expect(page.getByText('Website')).toBeVisible();
  // After five seconds.
  const changes = page.getByRole('log', { name: 'Changes' });
  await expect(changes).toHaveText(/^Reconnecting · state of \d\d:\d\d [AP]M$/);
  await server.startAgain();
  await organisation.call('PATCH', `/component/${id}`, { status: 'PARTIAL_OUTAGE' });

  const components = page.getByRole('region', { name: 'Components' });
  await expect(components.getByText('Partial Outage')).toBeVisible();
  await expect(indicator).toHaveText('Live');
  // The console reports the outage.
  const others = consoleErrors
    .splice(0)
    .filter((text) => !text.includes('Failed to load resource'));
  expect(others).toEqual([]);
});

test('an unknown organisation is not found, and the page says what to do', async ({
  page,
  consoleErrors,
}) => {
  const response = await page.goto('/status/0190a000-0000-7000-8000-000000000000');
  expect(response?.status()).toBe(404);
  await expect(page.getByRole('heading', { name: 'There is no status page here' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Back to Home' })).toHaveAttribute('href', '/');
  // The browser reports every 404.
  expect(consoleErrors.splice(0)).toEqual([expect.stringContaining('404')]);
});

for (const theme of ['dark', 'light'] as const) {
  for (const width of [320, 1280]) {
    test(`is accessible and fits ${width} pixels in the ${theme} theme`, async ({
      page,
      organisation,
    }) => {
      await organisation.createComponent('Website');
      await organisation.createComponent('A name without a space in it'.replaceAll(' ', ''), {
        status: 'DEGRADED',
        description: 'Line one\nLine two',
      });
      await organisation.createComponent('API', { status: 'PARTIAL_OUTAGE' });
      await organisation.createComponent('<b>Checkout</b>', { status: 'MAJOR_OUTAGE' });
      await page.addInitScript((name) => localStorage.setItem('allclear:theme', name), theme);
      await page.setViewportSize({ width, height: 800 });
      await page.goto(organisation.statusPage);
      await expect(page.getByText('<b>Checkout</b>')).toBeVisible();
      await expect(page.getByText('Live', { exact: true })).toBeVisible();

      const { violations } = await axe(page).analyze();
      expect(violations).toEqual([]);
      const overhang = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(overhang).toBe(0);
    });
  }
}

for (const theme of ['dark', 'light'] as const) {
  test(`the preference for more contrast is respected in the ${theme} theme`, async ({
    page,
    organisation,
  }) => {
    await page.addInitScript((name) => localStorage.setItem('allclear:theme', name), theme);
    await page.goto(organisation.statusPage);
    const quiet = page.getByText('Powered by Allclear');
    const colour = () => quiet.evaluate((element) => getComputedStyle(element).color);
    const usual = await colour();
    await page.emulateMedia({ contrast: 'more' });
    const ink = await page
      .getByRole('heading', { level: 1 })
      .evaluate((element) => getComputedStyle(element).color);
    expect(usual).not.toBe(ink);
    expect(await colour()).toBe(ink);
  });
}

test('the first link is seen when it has the focus, and skips to the components', async ({
  page,
  organisation,
}) => {
  await organisation.createComponent('API');
  await page.goto(organisation.statusPage);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  await page.keyboard.press('Tab');
  const link = page.getByRole('link', { name: 'Skip to components' });
  await expect(link).toBeFocused();
  await expect(link).toHaveCSS('clip-path', 'none');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${organisation.statusPage}#components`);
});
