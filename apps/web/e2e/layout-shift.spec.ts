import type { Page } from '@playwright/test';
import { fill } from './fill';
import { expect, test } from './fixtures';
import { expectNothingMoved, painted, watchShifts } from './layout-shifts';
import type { Organisation } from './operator';

/** Each screen, and what it shows when its data is there: less than what holds the place of it has room for. */
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
  ] as const;
}

/** Answers what a screen asks for once what holds its place has been painted. */
async function answerLate(page: Page) {
  const asked = /\/api\/v1\/(component|incident|maintenance|subscriber|identity\/organisations)\//;
  await page.route(asked, async (route) => {
    await painted(page);
    await route.continue();
  });
}

for (const [device, viewport] of [
  ['a desk', { width: 1350, height: 940 }],
  ['a tablet', { width: 1000, height: 800 }],
  ['a phone', { width: 390, height: 844 }],
] as const) {
  test(`nothing on an operator’s screens moves when its data comes, on ${device}`, async ({
    desk,
    organisation,
  }) => {
    test.slow();
    const screens = await screensOf(organisation);
    await desk.setViewportSize(viewport);
    await watchShifts(desk);
    await answerLate(desk);
    for (const [path, shown] of screens) {
      await test.step(path, async () => {
        await desk.goto(path);
        await expect(desk.getByRole('main')).toContainText(shown);
        await expect(desk.locator('[aria-busy=true]')).toHaveCount(0);
        await expectNothingMoved(desk);
      });
    }
  });
}
