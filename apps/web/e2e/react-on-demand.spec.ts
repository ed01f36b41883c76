import type { Page } from '@playwright/test';
import { Demo } from './demo';
import { expect, test } from './fixtures';
import { expectNothingMoved, painted, watchShifts } from './layout-shifts';
import { hasReact, loadReact, reactFiles, scriptsOf } from './loaded-scripts';
import type { Organisation } from './operator';

const live = (page: Page) => page.locator('.live').getByText('Live', { exact: true });
const subscribe = (page: Page) => page.getByRole('button', { name: 'Subscribe To Updates' });
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Subscribe Via Email' });
const changes = (page: Page) => page.getByRole('log', { name: 'Changes' });
const bars = (page: Page) => page.getByRole('listbox', { name: 'Uptime of API' });
const tip = (page: Page) => page.locator('.uptime-tip');

/** What the server responds if it has no such file. */
const gone = { status: 404, headers: { 'X-Request-Id': '0123' } };

function report(organisation: Organisation, title: string) {
  return organisation.call<{ id: string }>('POST', '/incident/create', {
    title,
    description: 'Cards are declined.',
    status: 'INVESTIGATING',
    occuredAt: new Date().toISOString(),
    components: [],
  });
}

function createWithBars(organisation: Organisation): Promise<{ id: string }> {
  return organisation.call('POST', '/component/create', { name: 'API', startDate: null });
}

/** Holds back the files that are loaded on demand, until the returned function is called. */
async function holdReact(page: Page): Promise<() => void> {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(reactFiles, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

/** The browser reports files that do not arrive, and so does the page. */
function expectOnlyFailedLoads(consoleErrors: string[]): void {
  const errors = consoleErrors.splice(0);
  expect(errors).not.toEqual([]);
  const known = /net::ERR_FAILED|Failed to fetch|status of 404|^\w+: 404\n/;
  expect(errors.filter((text) => !known.test(text))).toEqual([]);
}

/** Counts the event streams that a page opens from now on. */
function countStreams(page: Page): () => number {
  let opened = 0;
  page.on('request', (request) => {
    if (new URL(request.url()).pathname.endsWith('/events')) opened += 1;
  });
  return () => opened;
}

/**
 * Records what a page loads, with its bytes as sent, until all of it has arrived. The event stream
 * never ends.
 */
async function watchDownloads(page: Page): Promise<() => Promise<Map<string, number>>> {
  const browser = await page.context().newCDPSession(page);
  const paths = new Map<string, string>();
  const bytes = new Map<string, number>();
  await browser.send('Network.enable');
  browser.on('Network.requestWillBeSent', ({ requestId, request }) => {
    const { protocol, pathname } = new URL(request.url);
    if (protocol === 'http:' && !pathname.endsWith('/events')) paths.set(requestId, pathname);
  });
  browser.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const path = paths.get(requestId);
    if (path) bytes.set(path, encodedDataLength);
  });
  return async () => {
    await expect.poll(() => bytes.size).toBe(paths.size);
    return bytes;
  };
}

const kilobytes = (count: number) => count * 1024;

test('a visit without input downloads at most 25 KB, of which at most 6 KB are script', async ({
  page,
}) => {
  const demo = await Demo.start();
  try {
    const downloads = await watchDownloads(page);
    await page.goto(demo.url + demo.statusPage);
    await expect(live(page)).toBeVisible();
    await page.mouse.wheel(0, 5000);
    await expect(page.getByText('Powered by Allclear')).toBeInViewport();
    const sizes = [...(await downloads())];
    const sum = (some: [string, number][]) => some.reduce((total, [, size]) => total + size, 0);
    const scripts = sizes.filter(([path]) => path.endsWith('.js'));
    expect(scripts.map(([path]) => path)).toEqual([expect.stringContaining('/assets/starter-')]);
    expect(sum(scripts)).toBeLessThanOrEqual(kilobytes(6));
    expect(sizes.map(([path]) => path)).toContain(`/api/v1${demo.statusPage}`);
    expect(sum(sizes)).toBeLessThanOrEqual(kilobytes(25));
    await expect(page.locator('link[rel=modulepreload], link[rel=prefetch]')).toHaveCount(0);
  } finally {
    await page.close();
    await demo.stop();
  }
});

test('the first event is shown and announced, with the one event stream, and moves no focus', async ({
  page,
  organisation,
}) => {
  await createWithBars(organisation);
  const streams = countStreams(page);
  await page.goto(organisation.statusPage);
  await expect(live(page)).toBeVisible();
  expect(await hasReact(page)).toBe(false);
  const link = page.getByRole('link', { name: 'View history' });
  await link.focus();
  await report(organisation, 'Payments fail');
  await expect(page.getByRole('article').filter({ hasText: 'Payments fail' })).toBeVisible();
  await expect(changes(page)).toHaveText('New incident: Payments fail, Investigating');
  await expect(page.locator('.incident .live-highlight')).toHaveCount(1);
  await expect(link).toBeFocused();
  await expect(live(page)).toBeVisible();
  expect(streams()).toBe(1);
});

test('no event is lost while React is loading', async ({ page, organisation }) => {
  const release = await holdReact(page);
  await page.goto(organisation.statusPage);
  await expect(live(page)).toBeVisible();
  const asked = page.waitForRequest(reactFiles);
  const { id } = await report(organisation, 'Payments fail');
  await asked;
  await organisation.call('POST', `/incident/${id}/updates/create`, {
    status: 'IDENTIFIED',
    message: 'A provider is down.',
  });
  await report(organisation, 'Mails are late');
  release();
  await expect(page.getByRole('article')).toHaveCount(2);
  await expect(changes(page).locator('p')).toHaveText([
    'New incident: Payments fail, Investigating',
    'Update on Payments fail: Identified. A provider is down.',
    'New incident: Mails are late, Investigating',
  ]);
});

test('a press before React is loaded takes effect afterwards', async ({ page, organisation }) => {
  const release = await holdReact(page);
  await watchShifts(page);
  await page.goto(organisation.statusPage);
  await expect(live(page)).toBeVisible();
  await painted(page);
  // Layout shifts from loading the server's page are not caused by a press.
  await page.evaluate(() => window.shifts?.splice(0));
  await subscribe(page).dblclick();
  await expect(subscribe(page)).toHaveAttribute('aria-busy', 'true');
  await expect(dialog(page)).toBeHidden();
  release();
  await expect(dialog(page)).toHaveCount(1);
  await expect(dialog(page)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toHaveCount(0);
  await expect(subscribe(page)).toBeFocused();
  await expect(subscribe(page)).not.toHaveAttribute('aria-busy');
  await expectNothingMoved(page);
});

test('the first Tab and Enter open the dialog, which has the focus and gives it back', async ({
  page,
  organisation,
}) => {
  const release = await holdReact(page);
  await page.goto(organisation.statusPage);
  await expect(live(page)).toBeVisible();
  await page.getByRole('button', { name: /Switch to .* theme/ }).focus();
  expect(await hasReact(page)).toBe(false);
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  await expect(subscribe(page)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(subscribe(page)).toHaveAttribute('aria-busy', 'true');
  release();
  await expect(dialog(page).getByRole('textbox', { name: /^Email/ })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(subscribe(page)).toBeFocused();
});

test('keys that are pressed before React is there move through the bars', async ({
  page,
  organisation,
}) => {
  const { id } = await createWithBars(organisation);
  const day = new Date();
  day.setUTCDate(day.getUTCDate() - 2);
  day.setUTCHours(1, 0, 0, 0);
  await organisation.call('POST', `/component/${id}/history/create`, {
    status: 'PARTIAL_OUTAGE',
    startAt: day.toISOString(),
    endAt: new Date(day.getTime() + 7_200_000).toISOString(),
  });
  const release = await holdReact(page);
  await page.goto(organisation.statusPage);
  await expect(live(page)).toBeVisible();
  await bars(page).focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await expect(bars(page)).toHaveAttribute('aria-busy', 'true');
  release();
  await expect(tip(page)).toContainText('2 hrs outage (partial)');
  await expect(bars(page)).toBeFocused();
  await expect(bars(page)).not.toHaveAttribute('aria-busy');
});

test('a bar that the pointer rests on shows its day once React is there', async ({
  page,
  organisation,
}) => {
  await createWithBars(organisation);
  const release = await holdReact(page);
  await page.goto(organisation.statusPage);
  await expect(live(page)).toBeVisible();
  await bars(page).hover();
  await expect(bars(page)).toHaveAttribute('aria-busy', 'true');
  release();
  await expect(tip(page)).toContainText('No downtime recorded');
  await page.mouse.move(0, 0);
  await expect(tip(page)).toBeHidden();
});

test('when React cannot be loaded the page says so and stays, and the next press tries again', async ({
  page,
  organisation,
  consoleErrors,
}) => {
  await page.route(reactFiles, (route) => route.abort());
  await page.goto(organisation.statusPage);
  await expect(live(page)).toBeVisible();
  await subscribe(page).click();
  await expect(page.getByRole('alert')).toContainText('The form could not be loaded.');
  await expect(subscribe(page)).not.toHaveAttribute('aria-busy');
  await expect(live(page)).toBeVisible();
  await page.unroute(reactFiles);
  await subscribe(page).click();
  await expect(dialog(page)).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
  expectOnlyFailedLoads(consoleErrors);
});

test('an event is shown after React could not be loaded at first', async ({
  page,
  organisation,
  consoleErrors,
}) => {
  await page.route(reactFiles, (route) => route.abort());
  await page.goto(organisation.statusPage);
  await expect(live(page)).toBeVisible();
  await report(organisation, 'Payments fail');
  await expect(page.locator('.live')).toHaveText(/^Reconnecting · state of/);
  await page.unroute(reactFiles);
  await expect(page.getByRole('article').filter({ hasText: 'Payments fail' })).toBeVisible();
  await expect(live(page)).toBeVisible();
  expectOnlyFailedLoads(consoleErrors);
});

test.describe('after the files of the page have been replaced by those of a new version', () => {
  test.beforeEach(async ({ page, organisation }) => {
    await page.route(reactFiles, (route) => route.fulfill(gone));
    await page.clock.install();
    await page.goto(organisation.statusPage);
    await expect(live(page)).toBeVisible();
    await page.clock.runFor(60_001);
  });

  test('an event makes the page load again', async ({ page, organisation, consoleErrors }) => {
    await report(organisation, 'Payments fail');
    await expect(page.getByRole('article').filter({ hasText: 'Payments fail' })).toBeVisible();
    await expect(live(page)).toBeVisible();
    expect(await hasReact(page)).toBe(false);
    expectOnlyFailedLoads(consoleErrors);
  });

  test('a press makes the page load again, and the next one is done', async ({
    page,
    consoleErrors,
  }) => {
    const navigated = page.waitForRequest((request) => request.isNavigationRequest());
    const loaded = page.waitForEvent('load');
    await subscribe(page).click();
    await navigated;
    // The new page names files that exist.
    await page.unroute(reactFiles);
    await loaded;
    await subscribe(page).click();
    await expect(dialog(page)).toBeVisible();
    expectOnlyFailedLoads(consoleErrors);
  });
});

test('a press makes the page load again after the files of its dialog have been replaced', async ({
  page,
  organisation,
  consoleErrors,
}) => {
  await page.goto(organisation.statusPage);
  await expect(live(page)).toBeVisible();
  await loadReact(page);
  const dialogFiles = /\/assets\/(forms|standalone-subscribe-dialog)-/;
  await page.route(dialogFiles, (route) => route.fulfill(gone));
  await page.route(/\/assets\/starter-/, (route) =>
    // The new page gets its script.
    route.request().method() === 'HEAD' ? route.fulfill(gone) : route.continue(),
  );
  // A fake clock would hide the requested files from `loadReact`.
  await page.evaluate(() => {
    const now = performance.now.bind(performance);
    performance.now = () => now() + 60_001;
  });
  const navigated = page.waitForRequest((request) => request.isNavigationRequest());
  const loaded = page.waitForEvent('load');
  await subscribe(page).click();
  await navigated;
  await page.unroute(dialogFiles);
  await loaded;
  await subscribe(page).click();
  await expect(dialog(page)).toBeVisible();
  expectOnlyFailedLoads(consoleErrors);
});

test('theme, groups and feeds work without React, and are kept', async ({ page, organisation }) => {
  const { id: groupId } = await organisation.call<{ id: string }>(
    'POST',
    '/component-group/create',
    { name: 'Europe', display: 'OPEN' },
  );
  await organisation.call('POST', '/component/create', { name: 'Zurich', groupId });
  await page.goto(organisation.statusPage);
  await expect(live(page)).toBeVisible();
  const html = page.locator('html');
  await page.getByRole('button', { name: 'Switch to light theme' }).click();
  await expect(html).toHaveAttribute('data-theme', 'light');
  await expect(page.getByRole('button', { name: 'Switch to dark theme' })).toBeVisible();
  await page.getByText('Europe').click();
  await expect(page.getByText('Zurich')).toBeHidden();
  await page.getByText('Other Channels', { exact: true }).click();
  await expect(page.getByRole('link', { name: 'JSON Feed' })).toBeVisible();
  await page.getByRole('heading', { level: 1 }).click({ position: { x: 1, y: 1 }, trial: true });
  await page.keyboard.press('Escape');
  await expect(page.getByRole('link', { name: 'JSON Feed' })).toBeHidden();
  expect(await hasReact(page)).toBe(false);

  await page.reload();
  await expect(live(page)).toBeVisible();
  await expect(html).toHaveAttribute('data-theme', 'light');
  await expect(page.getByText('Zurich')).toBeHidden();
  await subscribe(page).focus();
  await expect(subscribe(page)).not.toHaveAttribute('aria-busy');
  expect(await hasReact(page)).toBe(true);
  await expect(page.getByText('Zurich')).toBeHidden();
  await page.getByRole('button', { name: 'Switch to dark theme' }).click();
  await expect(html).toHaveAttribute('data-theme', 'dark');
  await page.getByText('Europe').click();
  await expect(page.getByText('Zurich')).toBeVisible();
});

test('figures of an outage are read every minute, though nothing happens', async ({
  page,
  organisation,
}) => {
  const { id } = await createWithBars(organisation);
  await organisation.call('PATCH', `/component/${id}`, { status: 'MAJOR_OUTAGE' });
  let reads = 0;
  page.on('request', (request) => {
    if (new URL(request.url()).pathname.endsWith(`/status/${organisation.id}`)) reads += 1;
  });
  await page.clock.install();
  await page.goto(organisation.statusPage);
  await expect(live(page)).toBeVisible();
  // The page, and then its state.
  expect(reads).toBe(2);
  const asked = page.waitForRequest(reactFiles);
  await page.clock.runFor(60_000);
  await asked;
  await expect.poll(() => reads, { timeout: 15_000 }).toBe(3);
});

test('a stored choice that is no JSON does no harm', async ({ page, organisation }) => {
  await page.addInitScript(() => {
    localStorage.setItem('allclear:groups', '{');
    localStorage.setItem('allclear:theme', 'light');
  });
  await organisation.createComponent('Website');
  await page.goto(organisation.statusPage);
  await expect(live(page)).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  expect(await scriptsOf(page)).toHaveLength(1);
});
