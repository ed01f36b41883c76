import type { Page } from '@playwright/test';
import { fill } from './fill';
import { expect, test } from './fixtures';
import { expectNothingMoved, painted, watchShifts } from './layout-shifts';
import type { Organisation } from './operator';

/** Each screen and a text that it shows once its data is loaded. */
async function screensOf(organisation: Organisation) {
  const forms = await fill(organisation, { name: 'Website' });
  await organisation.call('POST', '/subscriber', { email: 'grace@example.com' });
  return [
    ['/components', 'Website'],
    [forms.componentForm, 'Update'],
    ['/incidents', 'Record Updated'],
    [forms.incidentForm, 'The bank is down.'],
    ['/schedules', 'Complete Maintenance'],
    [forms.maintenanceForm, 'Updates show on the status page'],
    ['/subscribers', 'grace@example.com'],
    ['/organisation', 'Leave the organisation'],
    ['/settings', 'The organisation has no API keys.'],
    ['/metrics', 'Messages to subscribers'],
  ] as const;
}

/** Delays the responses to a screen until its placeholders are painted. */
async function answerLate(page: Page) {
  const asked =
    /\/api\/v1\/(api-key|component|identity\/organisations|incident|maintenance|metrics|organisation|status|subscriber)\b/;
  await page.route(asked, async (route) => {
    // The story may leave the screen before all its requests have been answered.
    await painted(page).catch(() => undefined);
    await route.continue().catch(() => undefined);
  });
}

for (const [device, viewport] of [
  ['a desktop', { width: 1350, height: 940 }],
  ['a tablet', { width: 1000, height: 800 }],
  ['a phone', { width: 390, height: 844 }],
] as const) {
  test(`nothing on an operator’s screens moves when its data comes, on ${device}`, async ({
    operatorPage,
    organisation,
  }) => {
    test.slow();
    const screens = await screensOf(organisation);
    await operatorPage.setViewportSize(viewport);
    await watchShifts(operatorPage);
    await answerLate(operatorPage);
    for (const [path, shown] of screens) {
      await test.step(path, async () => {
        await operatorPage.goto(path);
        await expect(operatorPage.getByRole('main')).toContainText(shown);
        await expect(operatorPage.locator('[aria-busy=true]')).toHaveCount(0);
        await expectNothingMoved(operatorPage);
      });
    }
  });
}

for (const [device, viewport] of [
  ['a desktop', { width: 1350, height: 940 }],
  ['a phone', { width: 390, height: 844 }],
] as const) {
  test(`no row moves when one is selected, on ${device}`, async ({
    operatorPage,
    organisation,
  }) => {
    await fill(organisation, { name: 'Website' });
    await operatorPage.setViewportSize(viewport);
    await operatorPage.goto('/incidents');
    const row = operatorPage.getByRole('checkbox', { name: /^Select (?!all)/ }).first();
    await expect(row).toBeVisible();
    const before = await row.boundingBox();
    await row.check();
    await expect(operatorPage.getByText('1 selected')).toBeVisible();
    expect(await row.boundingBox()).toEqual(before);
  });
}
