import { devices, type CDPSession, type Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { hasReact } from './loaded-scripts';

const { viewport, userAgent, deviceScaleFactor, isMobile, hasTouch } = devices['Pixel 7'];
test.use({ viewport, userAgent, deviceScaleFactor, isMobile, hasTouch });

const bars = (page: Page) => page.getByRole('listbox').first();
const tip = (page: Page) => page.locator('.uptime-tip');
const scrolled = (page: Page) => page.evaluate(() => window.scrollY);

/** Moves a finger upwards from a place. */
async function swipe(finger: CDPSession, x: number, y: number): Promise<void> {
  const move = (type: 'touchStart' | 'touchMove', y: number) =>
    finger.send('Input.dispatchTouchEvent', { type, touchPoints: [{ x, y }] });
  await move('touchStart', y);
  for (let distance = 20; distance <= 200; distance += 20) await move('touchMove', y - distance);
  await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}

async function place(page: Page) {
  const box = await bars(page).boundingBox();
  if (!box) throw new Error('the bars are not shown');
  // The middle of the bar of the day before yesterday: the last of 30 is today's.
  const x = box.x + (box.width * 27.3) / 30;
  return { x, y: box.y + box.height / 2 };
}

test('the theme is switched beside the brand, where the row of buttons has no room', async ({
  page,
  organisation,
}) => {
  for (const width of [360, 390, 412]) {
    await page.setViewportSize({ width, height: 800 });
    for (const path of ['', '/history']) {
      await page.goto(organisation.statusPage + path);
      const brand = await page.locator('header .brand').boundingBox();
      const theme = await page.getByRole('button', { name: /Switch to/ }).boundingBox();
      if (!brand || !theme) throw new Error('the header is not shown');
      expect(theme.y + theme.height / 2, path).toBeCloseTo(brand.y + brand.height / 2, 0);
      expect(theme.x + theme.width, path).toBeLessThanOrEqual(width);
    }
  }
});

test('a finger that scrolls over bars loads nothing, and its tap shows the day', async ({
  page,
  organisation,
}) => {
  for (let count = 1; count <= 12; count += 1) {
    const { id } = await organisation.call<{ id: string }>('POST', '/component/create', {
      name: `API ${count}`,
      startDate: null,
    });
    const day = new Date();
    day.setUTCDate(day.getUTCDate() - 2);
    day.setUTCHours(1, 0, 0, 0);
    await organisation.call('POST', `/component/${id}/history/create`, {
      status: 'PARTIAL_OUTAGE',
      startAt: day.toISOString(),
      endAt: new Date(day.getTime() + 7_200_000).toISOString(),
    });
  }
  await page.goto(organisation.statusPage);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  const start = await place(page);
  const finger = await page.context().newCDPSession(page);
  const stopped = page.evaluate(
    () =>
      new Promise<void>((resolve) =>
        document.addEventListener('scrollend', () => resolve(), { once: true }),
      ),
  );
  await swipe(finger, start.x, start.y);
  await stopped;
  expect(await scrolled(page)).toBeGreaterThan(100);
  await expect(bars(page)).not.toHaveAttribute('aria-busy');
  expect(await hasReact(page)).toBe(false);

  await page.evaluate(() => window.scrollTo(0, 0));
  await expect.poll(() => scrolled(page)).toBe(0);
  for (let taps = 1; taps <= 2; taps += 1) {
    const { x, y } = await place(page);
    await page.touchscreen.tap(x, y);
    await expect(tip(page)).toContainText('2 hrs outage (partial)');
  }
  await page.touchscreen.tap(start.x, 5);
  await expect(tip(page)).toBeHidden();
});
