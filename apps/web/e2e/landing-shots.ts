import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test, type Page } from '@playwright/test';
import { Demo } from './demo';

/** Takes the pictures of the landing page from the demo, dark and light, for the next build. */

const folder = fileURLToPath(new URL('../src/features/landing/shots', import.meta.url));
const atMostBytes = 200_000;

interface Shot {
  name: string;
  width: number;
  height: number;
  /** Device pixels per CSS pixel, enough for screens of high density. */
  density: number;
  open: (page: Page, demo: Demo) => Promise<unknown>;
}

const showStatusPage = async (page: Page, { statusPage }: Demo) => {
  await page.goto(statusPage);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
};

const shots: readonly Shot[] = [
  { name: 'status-page', width: 1280, height: 800, density: 2, open: showStatusPage },
  { name: 'status-page-phone', width: 390, height: 760, density: 2, open: showStatusPage },
  {
    name: 'edit-incident',
    width: 1024,
    height: 800,
    density: 2,
    open: async (page) => {
      await page.goto('/incidents');
      await page
        .getByRole('link', { name: /^Edit / })
        .first()
        .click();
      await expect(page.getByRole('cell', { name: 'Identified' })).toBeVisible();
    },
  },
  {
    name: 'components',
    width: 1024,
    height: 800,
    density: 2,
    open: async (page) => {
      await page.goto('/components');
      await page.getByLabel('Rows per page').selectOption('10');
      await expect(page.getByRole('link', { name: /^Edit / }).first()).toBeVisible();
    },
  },
];

test('the pictures of the landing page', async ({ browser }) => {
  test.setTimeout(180_000);
  const demo = await Demo.start();
  for (const theme of ['dark', 'light'] as const) {
    for (const { name, width, height, density, open } of shots) {
      const context = await browser.newContext({
        baseURL: demo.url,
        viewport: { width, height },
        deviceScaleFactor: density,
        reducedMotion: 'reduce',
        timezoneId: 'UTC',
      });
      await context.addInitScript((name) => localStorage.setItem('allclear:theme', name), theme);
      const { email, password } = demo;
      const signedIn = await context.request.post('/api/v1/identity/sign-in', {
        data: { email, password },
      });
      await expect(signedIn).toBeOK();
      const page = await context.newPage();
      await open(page, demo);
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
      await page.mouse.move(0, 0);
      const { size } = await takeWebp(page, `${folder}/${name}-${theme}.webp`);
      expect(size, `${name} is small enough for a page`).toBeLessThan(atMostBytes);
      await context.close();
    }
  }
  await demo.stop();
});

/** WebP, half the size of a PNG. */
async function takeWebp(page: Page, path: string): Promise<{ size: number }> {
  const browser = await page.context().newCDPSession(page);
  const { data } = await browser.send('Page.captureScreenshot', { format: 'webp', quality: 86 });
  const bytes = Buffer.from(data, 'base64');
  await writeFile(path, bytes);
  return { size: bytes.byteLength };
}
