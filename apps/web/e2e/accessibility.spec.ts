import type AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { axe } from './axe';
import { fill } from './fill';
import { expect, test } from './fixtures';
import type { Organisation } from './operator';

/** Long text and markup. */
async function fillWithOddText(organisation: Organisation) {
  await organisation.call('POST', '/component/create', { name: 'Website' });
  return fill(organisation, {
    name: 'Averylongnamewithoutaspaceinitthathastobebrokensomewhere',
    description: '<b>Bold</b>',
  });
}

async function open(page: Page, path: string, heading: string) {
  await page.goto(path);
  await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
}

/** In the dark theme, and in the light one what may differ: the contrast. */
async function expectAccessible(page: Page) {
  // Not among axe's defaults: a visible label is part of the accessible name.
  const rules = { 'label-content-name-mismatch': { enabled: true } };
  const wrong = await violations(axe(page).options({ rules }));
  await show(page, 'light');
  wrong.push(...(await violations(axe(page).withRules('color-contrast'))));
  await show(page, 'dark');
  expect(wrong).toEqual([]);
}

/** Changes the theme and waits for the end of its transitions. */
async function show(page: Page, theme: string) {
  await page.evaluate(async (theme) => {
    document.documentElement.dataset.theme = theme;
    const changes = document.getAnimations().filter((change) => change instanceof CSSTransition);
    await Promise.allSettled(changes.map(({ finished }) => finished));
  }, theme);
}

async function violations(analysis: AxeBuilder): Promise<string[]> {
  // A menu is an overlay, not a part of the content.
  const found = await analysis.exclude('[data-radix-popper-content-wrapper]').analyze();
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary ?? ''}`),
  );
}

async function expectToFit(page: Page) {
  const overhanging = await page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('main *')]
      .filter((element) => element.scrollWidth > element.clientWidth + 1)
      .filter(
        (element) =>
          element.matches(':root') || /auto|scroll/.test(getComputedStyle(element).overflowX),
      )
      .map(({ outerHTML }) => outerHTML.slice(0, 200)),
  );
  expect(overhanging).toEqual([]);
}

test('every screen of an operator is accessible in both themes', async ({
  operatorPage,
  organisation,
}) => {
  test.slow();
  const forms = await fillWithOddText(organisation);
  await operatorPage.emulateMedia({ reducedMotion: 'reduce' });
  for (const [path, heading] of [
    ['/dashboard', 'Dashboard'],
    ['/metrics', 'Metrics'],
    ['/components', 'Components'],
    ['/components/component/create', 'Create Component'],
    [forms.componentForm, 'Edit Component'],
    ['/incidents', 'Incidents'],
    ['/incidents/incident/create', 'Create Incident'],
    [forms.incidentForm, 'Edit Incident'],
    ['/schedules', 'Maintenance'],
    ['/schedules/maintenance/create', 'Create Maintenance'],
    [forms.maintenanceForm, 'Edit Maintenance'],
    ['/subscribers', 'Subscribers'],
    ['/organisation', 'Organisation'],
    ['/settings', 'Settings'],
  ] as const) {
    await test.step(path, async () => {
      await open(operatorPage, path, heading);
      await expectAccessible(operatorPage);
    });
  }
});

test('what opens over a screen is accessible in both themes', async ({
  operatorPage,
  organisation,
  operator,
  consoleErrors,
}) => {
  test.slow();
  const { incidentForm } = await fillWithOddText(organisation);
  await operatorPage.emulateMedia({ reducedMotion: 'reduce' });
  await open(operatorPage, '/components', 'Components');
  await operatorPage.getByRole('button', { name: 'Delete Website' }).click();
  await expect(operatorPage.getByRole('alertdialog')).toBeVisible();
  await expectAccessible(operatorPage);
  await operatorPage.keyboard.press('Escape');

  await operatorPage.getByRole('button', { name: `Account of ${operator.account.name}` }).click();
  await operatorPage.getByRole('menuitem', { name: 'Profile' }).click();
  await expect(operatorPage.getByRole('dialog', { name: 'Profile' })).toBeVisible();
  await expectAccessible(operatorPage);

  await open(operatorPage, '/subscribers', 'Subscribers');
  await operatorPage.getByRole('button', { name: 'New Subscriber' }).click();
  await expect(operatorPage.getByRole('dialog', { name: 'Add New Subscriber' })).toBeVisible();
  await expectAccessible(operatorPage);
  await operatorPage.keyboard.press('Escape');

  await open(operatorPage, incidentForm, 'Edit Incident');
  await operatorPage.getByRole('button', { name: 'Record Update' }).click();
  const dialog = operatorPage.getByRole('dialog', { name: 'Record Update' });
  await dialog.getByRole('button', { name: 'Record Update' }).click();
  await expect(operatorPage.getByText('Message is required')).toBeVisible();
  await expectAccessible(operatorPage);
  await operatorPage.keyboard.press('Escape');

  await operatorPage.getByRole('tab', { name: 'Components' }).click();
  await operatorPage.getByRole('button', { name: 'Attach', exact: true }).click();
  await operatorPage.getByRole('button', { name: 'Add Component' }).click();
  await expectAccessible(operatorPage);

  await open(operatorPage, incidentForm, 'Edit Incident');
  await operatorPage.getByRole('tab', { name: 'Review' }).click();
  await operatorPage.getByRole('button', { name: 'Start from a Template' }).click();
  await expectAccessible(operatorPage);
  await operatorPage.getByRole('button', { name: 'Preview' }).click();
  await expect(operatorPage.getByRole('heading', { name: 'Root cause' })).toBeVisible();
  await expectAccessible(operatorPage);
  // The incident has no review, which is asked for again from time to time.
  const others = consoleErrors.splice(0).filter((text) => !text.includes('status of 404'));
  expect(others).toEqual([]);
});

test('the dialogs about subscribers and the page of a subscription are accessible in both themes', async ({
  operatorPage,
  page,
  organisation,
  server,
}) => {
  test.slow();
  await fillWithOddText(organisation);
  await operatorPage.emulateMedia({ reducedMotion: 'reduce' });
  await open(operatorPage, '/subscribers', 'Subscribers');
  await operatorPage.getByRole('button', { name: 'More' }).click();
  await operatorPage.getByRole('menuitem', { name: 'Import' }).click();
  const dialog = operatorPage.getByRole('dialog', { name: 'Import Subscribers' });
  const buffer = Buffer.from('email,components\nann@example.com,Website\nnobody,\n');
  await dialog
    .getByLabel('CSV file')
    .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer });
  await expect(dialog.getByRole('region', { name: 'Lines with errors' })).toBeVisible();
  await expectAccessible(operatorPage);

  await open(operatorPage, '/subscribers', 'Subscribers');

  await operatorPage.getByRole('button', { name: 'More' }).click();
  await operatorPage.getByRole('menuitem', { name: 'Message previews' }).click();
  const previews = operatorPage.getByRole('dialog', { name: 'Message Previews' });
  await previews.getByRole('combobox', { name: 'Channel' }).selectOption('Slack');
  await expect(previews.getByRole('region', { name: 'Message for Slack' })).toBeVisible();
  await expectAccessible(operatorPage);

  const email = 'grace.access@example.com';
  await organisation.call('POST', '/subscriber', { email });
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto(await server.mailedLink(email, '/verify'));
  await expect(page.getByRole('heading', { name: 'Email Verified!' })).toBeVisible();
  await expectAccessible(page);
  await organisation.call('POST', '/incident/create', {
    title: 'Payments fail',
    description: 'We look.',
    status: 'INVESTIGATING',
  });
  await page.goto(await server.mailedLink(email, '/subscription'));
  await expect(page.getByRole('radio').first()).toBeVisible();
  await expectAccessible(page);
});

test('the way in is accessible in both themes', async ({ page, operator }) => {
  test.slow();
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expectAccessible(page);
  for (const [path, heading] of [
    ['/docs', 'Documentation'],
    ['/docs/configuration', 'Configuration'],
    ['/docs/realtime', 'Realtime'],
    ['/blog', 'Blog'],
    ['/blog/2026-11-21-two-pages', 'Why the status page is not part of the app'],
    ['/about', 'About Allclear'],
    ['/careers', 'Careers'],
    ['/legal', 'Legal'],
  ] as const) {
    await test.step(path, async () => {
      await open(page, path, heading);
      await expectAccessible(page);
    });
  }
  await open(page, '/docs/api-reference', 'API reference');
  await page.getByText('/api/v1/incident/create').click();
  await expectAccessible(page);
  await page.goto('/login');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByText('Invalid email address')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Forgot your password?' }).click();
  await page.getByRole('textbox', { name: 'Email' }).fill(operator.account.email);
  await expectAccessible(page);
});

test('what people come to by a link or by mistake is accessible in both themes', async ({
  page,
  organisation,
  newcomer,
  consoleErrors,
}) => {
  test.slow();
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const reader = `email=grace@example.com&orgId=${organisation.id}`;
  for (const [path, heading] of [
    [`/verify?${reader}&verificationCode=old`, 'Verification Failed'],
    [`/unsubscribe?${reader}&unsubscribeCode=old`, 'Unsubscribe Failed'],
    ['/nowhere', 'Page Not Found'],
    ['/discord', 'Not Set Up'],
    ['/status/nobody', 'There is no status page here'],
  ] as const) {
    await test.step(path, async () => {
      await open(page, path, heading);
      await expectAccessible(page);
    });
  }
  await page.goto(organisation.statusPage);
  await page.getByRole('button', { name: 'Subscribe To Updates' }).click();
  const dialog = page.getByRole('dialog', { name: 'Subscribe Via Email' });
  await dialog.getByRole('button', { name: 'Subscribe', exact: true }).click();
  await expect(page.getByText('Invalid email address')).toBeVisible();
  await expectAccessible(page);

  await newcomer.signIn(page.context());
  await page.goto('/onboarding');
  await expect(page.getByRole('heading', { name: 'Create an organisation' })).toBeVisible();
  await expectAccessible(page);
  // The browser reports every rejected request and every 404.
  const others = consoleErrors.splice(0).filter((text) => !/status of 40[04]/.test(text));
  expect(others).toEqual([]);
});

test('nothing has to be scrolled sideways on the narrowest phone and on a tablet', async ({
  operatorPage,
  organisation,
}) => {
  test.slow();
  const forms = await fillWithOddText(organisation);
  for (const [path, heading] of [
    ['/components', 'Components'],
    [forms.componentForm, 'Edit Component'],
    ['/incidents', 'Incidents'],
    ['/incidents/incident/create', 'Create Incident'],
    [forms.incidentForm, 'Edit Incident'],
    ['/schedules', 'Maintenance'],
    [forms.maintenanceForm, 'Edit Maintenance'],
    ['/subscribers', 'Subscribers'],
    ['/audit', 'Audit Log'],
    ['/organisation', 'Organisation'],
    ['/settings', 'Settings'],
  ] as const) {
    for (const width of [320, 768]) {
      await test.step(`${path} at ${width}`, async () => {
        await operatorPage.setViewportSize({ width, height: 640 });
        await open(operatorPage, path, heading);
        await expectToFit(operatorPage);
      });
    }
  }
});
