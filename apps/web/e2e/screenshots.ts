import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { test as base, expect, type Browser, type Page } from '@playwright/test';
import { Demo } from './demo';
import { Operator } from './operator';

/**
 * Takes the pictures of the documentation: every screen of the demo, dark and light, on a desktop
 * and on a phone.
 */

const folder = fileURLToPath(new URL('../../../docs/screenshots', import.meta.url));
const sizes = {
  desktop: { width: 1280, atMostHigh: 1000 },
  phone: { width: 390, atMostHigh: 1600 },
} as const;
const atMostBytes = 500_000;

type Theme = 'dark' | 'light';
type Device = keyof typeof sizes;

interface Screen {
  name: string;
  /** The user of the screen; by default the demo's operator. */
  seenBy?: 'visitor' | 'newcomer';
  /** Shows it. */
  open: (page: Page, demo: Demo) => Promise<unknown>;
}

const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name }).first();

async function follow(page: Page, list: string, name: string | RegExp) {
  await page.goto(list);
  await link(page, name).click();
}

/** The incident of the demo that has a review. */
const reviewedIncident = 'Databases down in eu-central';

const screens: Screen[] = [
  {
    name: 'status-page',
    seenBy: 'visitor',
    open: async (page, { statusPage }) => {
      await page.goto(statusPage);
      await expect(page.getByText('Live', { exact: true })).toBeVisible();
    },
  },
  {
    name: 'subscribe',
    seenBy: 'visitor',
    open: async (page, { statusPage }) => {
      await page.goto(statusPage);
      await page.getByRole('button', { name: 'Subscribe To Updates' }).click();
      await expect(page.getByRole('dialog')).toBeVisible();
    },
  },
  {
    name: 'verify',
    seenBy: 'visitor',
    open: async (page, { statusPage }) => {
      const orgId = statusPage.replace('/status/', '');
      await page.goto(`/verify?email=grace@example.com&orgId=${orgId}&verificationCode=old`);
      await expect(page.getByRole('heading', { name: 'Verification Failed' })).toBeVisible();
    },
  },
  {
    name: 'public-history',
    seenBy: 'visitor',
    open: (page, { statusPage }) => page.goto(`${statusPage}/history`),
  },
  {
    name: 'public-incident',
    seenBy: 'visitor',
    open: (page, { statusPage }) => follow(page, `${statusPage}/history`, reviewedIncident),
  },
  {
    name: 'public-uptime',
    seenBy: 'visitor',
    open: (page, { statusPage }) => page.goto(`${statusPage}/uptime`),
  },
  { name: 'landing', seenBy: 'visitor', open: (page) => page.goto('/') },
  { name: 'documentation', seenBy: 'visitor', open: (page) => page.goto('/docs') },
  { name: 'guide', seenBy: 'visitor', open: (page) => page.goto('/docs/configuration') },
  {
    name: 'api-reference',
    seenBy: 'visitor',
    open: async (page) => {
      await page.goto('/docs/api-reference');
      await page.getByText('/api/v1/component/create').click();
    },
  },
  { name: 'blog', seenBy: 'visitor', open: (page) => page.goto('/blog') },
  { name: 'about', seenBy: 'visitor', open: (page) => page.goto('/about') },
  { name: 'sign-in', seenBy: 'visitor', open: (page) => page.goto('/login') },
  { name: 'not-found', seenBy: 'visitor', open: (page) => page.goto('/nowhere') },
  { name: 'onboarding', seenBy: 'newcomer', open: (page) => page.goto('/onboarding') },
  { name: 'dashboard', open: (page) => page.goto('/dashboard') },
  {
    name: 'metrics',
    open: async (page) => {
      await page.goto('/metrics?days=90');
      await expect(page.locator('.recharts-bar-rectangle').first()).toBeVisible();
    },
  },
  { name: 'components', open: (page) => page.goto('/components') },
  { name: 'create-component', open: (page) => page.goto('/components/component/create') },
  { name: 'edit-component', open: (page) => follow(page, '/components', /^Edit /) },
  { name: 'component-order', open: (page) => page.goto('/components/order') },
  {
    name: 'component-history',
    open: async (page) => {
      await follow(page, '/components', /^Edit /);
      await page.getByRole('tab', { name: 'History' }).click();
    },
  },
  { name: 'incidents', open: (page) => page.goto('/incidents') },
  {
    name: 'create-incident',
    open: async (page) => {
      await page.goto('/incidents/incident/create');
      await page.getByRole('button', { name: 'Add Component' }).click();
    },
  },
  { name: 'edit-incident', open: (page) => follow(page, '/incidents', /^Edit /) },
  {
    name: 'incident-components',
    open: async (page) => {
      await follow(page, '/incidents', /^Edit /);
      await page.getByRole('tab', { name: 'Components' }).click();
    },
  },
  {
    name: 'review',
    open: async (page) => {
      await follow(page, '/incidents', new RegExp(`^Edit ${reviewedIncident}`));
      await page.getByRole('tab', { name: 'Review' }).click();
    },
  },
  {
    name: 'record-update',
    open: async (page) => {
      await page.goto('/incidents');
      await page
        .getByRole('button', { name: /^Record Updated/ })
        .first()
        .click();
      await expect(page.getByRole('dialog')).toBeVisible();
    },
  },
  { name: 'maintenance', open: (page) => page.goto('/schedules') },
  { name: 'create-maintenance', open: (page) => page.goto('/schedules/maintenance/create') },
  { name: 'edit-maintenance', open: (page) => follow(page, '/schedules', /^Edit /) },
  { name: 'subscribers', open: (page) => page.goto('/subscribers') },
  { name: 'organisation', open: (page) => page.goto('/organisation') },
  { name: 'settings', open: (page) => page.goto('/settings') },
];

const test = base.extend<object, { demo: Demo }>({
  demo: [
    async ({}, use) => {
      const demo = await Demo.start();
      await use(demo);
      await demo.stop();
    },
    { scope: 'worker' },
  ],
});

for (const theme of ['dark', 'light'] as const) {
  for (const device of ['desktop', 'phone'] as const) {
    test(`${theme}, on a ${device}`, async ({ browser, demo }) => {
      test.setTimeout(180_000);
      const contexts = {
        operator: await contextOf(browser, demo, theme, device),
        newcomer: await contextOf(browser, demo, theme, device),
        visitor: await contextOf(browser, demo, theme, device),
      };
      const { email, password } = demo;
      const data = { email, password };
      const signIn = contexts.operator.request.post('/api/v1/identity/sign-in', { data });
      await expect(await signIn).toBeOK();
      const grace = {
        name: 'Grace Hopper',
        email: `grace.${theme}.${device}@example.com`,
        password,
      };
      await new Operator(grace, contexts.newcomer.request).signUp(demo);
      for (const { name, open, seenBy = 'operator' } of screens) {
        await test.step(name, async () => {
          const page = await contexts[seenBy].newPage();
          await open(page, demo);
          const suffix = device === 'phone' ? '-phone' : '';
          await take(page, `${name}-${theme}${suffix}`, sizes[device]);
          await page.close();
        });
      }
      for (const context of Object.values(contexts)) await context.close();
    });
  }
}

async function contextOf(browser: Browser, { url }: Demo, theme: Theme, device: Device) {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: sizes[device].width, height: 844 },
    reducedMotion: 'reduce',
  });
  await context.addInitScript((name) => localStorage.setItem('allclear:theme', name), theme);
  return context;
}

/** As high as the content, up to a limit. */
async function take(page: Page, name: string, { width, atMostHigh }: (typeof sizes)[Device]) {
  await expect(page.locator('h1')).toBeVisible();
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
  await expect(page.getByText(/^Loading/)).toHaveCount(0);
  await page.mouse.move(0, 0);
  if ((await page.getByRole('dialog').count()) === 0) {
    const needed = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.setViewportSize({ width, height: Math.min(needed, atMostHigh) });
  }
  const path = `${folder}/${name}.png`;
  await page.screenshot({ path, animations: 'disabled' });
  const { size } = await stat(path);
  expect(size, `${name} is small enough for a repository`).toBeLessThan(atMostBytes);
}
