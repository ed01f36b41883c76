import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { axe } from './axe';
import { expect, test } from './fixtures';
import { hostPage, type HostPage } from './host-page';
import type { Organisation } from './operator';

let host: HostPage | undefined;

test.afterEach(async () => {
  await host?.close();
  host = undefined;
});

/**
 * Opens a page of another origin that allows nothing but the banner, by the two directives of
 * the guide.
 */
async function openHost(page: Page, server: string, organisation: Organisation, attributes = '') {
  const script = `${server}${organisation.statusPage}/embed.js`;
  const policy = `default-src 'none'; script-src ${server}; frame-src ${server}`;
  host = await hostPage(
    `<script async src="${script}" ${attributes}></script><p>Wares</p>`,
    policy,
  );
  await page.goto(host.url);
  return page.frameLocator('iframe');
}

test('the banner appears when a component breaks, without a reload, and disappears afterwards', async ({
  page,
  server,
  organisation,
}) => {
  const component = await organisation.createComponent('Checkout');
  const frame = await openHost(page, server.url, organisation);
  const banner = page.locator('iframe');
  await expect(frame.getByText('All Systems Operational')).toBeAttached();
  await expect(banner).toBeHidden();
  const before = await page.getByText('Wares').boundingBox();

  const change = (status: string) =>
    organisation.call('PATCH', `/component/${component.id}`, { status });
  await change('MAJOR_OUTAGE');
  await expect(banner).toBeVisible();
  await expect(frame.getByText('Major System Outage')).toBeVisible();
  const inside = await frame.getByRole('status').boundingBox();
  const height = Math.ceil(inside?.height ?? 0);
  await expect(banner).toHaveCSS('height', `${height}px`);
  const link = frame.getByRole('link');
  await expect(link).toHaveAttribute('href', `${server.url}${organisation.statusPage}`);
  await expect(link).toHaveAttribute('target', '_blank');

  await change('OPERATIONAL');
  await expect(banner).toBeHidden();
  expect(await page.getByText('Wares').boundingBox()).toEqual(before);
  expect(await page.context().cookies()).toEqual([]);
});

test('the banner always shows, in a corner, where the host page asks for it', async ({
  page,
  server,
  organisation,
}) => {
  await organisation.createComponent('Checkout');
  const attributes = 'data-show="always" data-position="bottom-right"';
  const frame = await openHost(page, server.url, organisation, attributes);
  await expect(page.locator('iframe')).toBeVisible();
  await expect(frame.getByText('All Systems Operational')).toBeVisible();
  const box = await page.locator('iframe').boundingBox();
  const size = page.viewportSize();
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBe((size?.width ?? 0) - 16);
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBe((size?.height ?? 0) - 16);
  // What other frames say is ignored.
  await page.evaluate(() => {
    window.postMessage({ type: 'allclear-embed', trouble: true, height: 300 }, '*');
  });
  await expect(page.locator('iframe')).toHaveCSS('height', `${box?.height}px`);
});

test('no other page can be framed by another site', async ({
  page,
  server,
  organisation,
  consoleErrors,
}) => {
  await organisation.createComponent('Checkout');
  const framed = [organisation.statusPage, `${organisation.statusPage}/history`, '/login'];
  const frames = framed.map((path) => `<iframe src="${server.url}${path}"></iframe>`).join('');
  host = await hostPage(frames, `default-src 'none'; frame-src ${server.url}`);
  await page.goto(host.url);
  await expect.poll(() => consoleErrors.length).toBe(framed.length);
  for (const error of consoleErrors.splice(0)) expect(error).toContain("frame-ancestors 'none'");
  for (const frame of page.frames().slice(1)) {
    expect(
      await frame
        .locator('body')
        .innerText()
        .catch(() => ''),
    ).not.toContain('Checkout');
  }
});

test('the texts of a badge are as wide as it says', async ({ page, organisation }) => {
  const names = ['Checkout', 'WWW iii 1.000', 'Größe & Über', 'Ελληνικά Работает'];
  for (const name of names) {
    const label = encodeURIComponent(name);
    await page.goto(`${organisation.statusPage}/badge.svg?style=flat-square&label=${label}`);
    const texts = await page.evaluate(() =>
      Array.from(document.querySelectorAll('text'), (text) => {
        const said = Number(text.getAttribute('textLength'));
        text.removeAttribute('textLength');
        text.style.fontFamily = 'DejaVu Sans';
        text.style.fontKerning = 'none';
        return { said, drawn: text.getComputedTextLength() };
      }),
    );
    expect(texts).toHaveLength(2);
    for (const { said, drawn } of texts) expect(Math.abs(said - drawn)).toBeLessThan(0.5);
  }
});

test('the settings show badge and banner as others see them', async ({
  operatorPage,
  organisation,
}) => {
  const { code } = await organisation.createComponent('Checkout');
  await operatorPage.goto('/settings');
  const badge = operatorPage.getByRole('img', { name: /^Preview of the badge/ });
  const isDrawn = () =>
    badge.evaluate((it: HTMLImageElement) => it.complete && it.naturalWidth > 0);
  await expect.poll(isDrawn).toBe(true);
  const banner = operatorPage.frameLocator('iframe[title="Preview of the banner"]');
  await expect(banner.getByText('All Systems Operational')).toBeVisible();

  await operatorPage.getByRole('combobox', { name: 'Badge of' }).selectOption('Checkout');
  await operatorPage.getByRole('combobox', { name: 'Shows' }).selectOption('Uptime of 30 days');
  await expect(badge).toHaveAttribute('src', new RegExp(`/badge/${code}.svg.*days=30`));
  await expect.poll(isDrawn).toBe(true);
  const { violations } = await new AxeBuilder({ page: operatorPage }).analyze();
  expect(violations).toEqual([]);
});

test('the menu of feeds opens and closes', async ({ page, organisation }) => {
  await organisation.createComponent('Checkout');
  await page.goto(organisation.statusPage);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  const link = page.getByRole('link', { name: 'Every update, RSS' });
  await expect(link).toBeHidden();
  await page.getByText('Other Channels', { exact: true }).click();
  await expect(link).toHaveAttribute('href', `${organisation.statusPage}/updates.rss`);
  await page.emulateMedia({ forcedColors: 'active' });
  await expect(page.locator('.feeds ul')).toHaveCSS('border-top-style', 'solid');
  await page.emulateMedia({ forcedColors: 'none' });
  const { violations } = await axe(page).analyze();
  expect(violations).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(link).toBeHidden();
});
