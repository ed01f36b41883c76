import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { expectNothingMoved, painted, watchShifts } from './layout-shifts';
import type { Organisation } from './operator';

interface Created {
  id: string;
}

/** Less than what holds the place of it has room for, and names that take more than a line of a column. */
async function fill(organisation: Organisation) {
  const create = async (path: string, data: object) =>
    (await organisation.call<Created>('POST', path, data)).id;
  const componentId = await create('/component/create', {
    name: 'Website',
    status: 'DEGRADED',
  });
  const incidentId = await create('/incident/create', {
    title: 'Payments fail in every shop that takes a card, and in some that do not',
    description: 'Cards are declined.',
    status: 'INVESTIGATING',
    occuredAt: new Date().toISOString(),
    components: [{ componentId, status: 'MAJOR_OUTAGE' }],
  });
  await create(`/incident/${incidentId}/updates/create`, {
    status: 'IDENTIFIED',
    message: 'The bank is down.\nWe wait.',
  });
  const maintenanceId = await create('/maintenance/create', {
    title: 'Database upgrade',
    description: 'Writes pause.',
    startAt: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await create('/subscriber', { email: 'grace@example.com' });
  return [
    ['/components', 'Website'],
    [`/components/component/edit/${componentId}`, 'Update'],
    ['/incidents', 'Record Updated'],
    [`/incidents/incident/edit/${incidentId}`, 'The bank is down.'],
    ['/schedules', 'Complete Maintenance'],
    [`/schedules/maintenance/edit/${maintenanceId}`, 'Updates show on the status page'],
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
    const screens = await fill(organisation);
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
