import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const said = (page: Page, text: string) => page.getByText(text, { exact: true });

/** What a person types into the field: the local time to the minute. */
function localMinute(instant: Date): string {
  const local = new Date(instant.getTime() - instant.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

test('an operator schedules a maintenance and says how it goes', async ({
  desk,
  page,
  organisation,
}) => {
  await page.goto(organisation.statusPage);
  await expect(said(page, 'Live')).toBeVisible();
  await desk.goto('/schedules');
  await expect(desk.getByRole('heading', { level: 1, name: 'Maintenance' })).toBeVisible();
  await expect(said(desk, 'No Data')).toBeVisible();
  await desk.getByRole('link', { name: 'New Maintenance' }).click();
  await desk.getByRole('button', { name: 'Create Maintenance' }).click();
  await expect(said(desk, 'Title is required')).toBeVisible();
  await expect(said(desk, 'Description is required')).toBeVisible();
  await expect(said(desk, 'Invalid date format')).toBeVisible();

  const start = new Date(Date.now() + 86_400_000);
  await desk.getByRole('textbox', { name: 'Title' }).fill('Database upgrade');
  await desk.getByRole('textbox', { name: 'Description' }).fill('Writes pause.');
  await desk.getByLabel('Start at').fill(localMinute(start));
  await desk.getByLabel('End at').fill(localMinute(new Date(start.getTime() - 3_600_000)));
  await desk.getByRole('button', { name: 'Create Maintenance' }).click();
  await expect(said(desk, 'End must not be before start')).toBeVisible();
  await desk.getByLabel('End at').fill('');
  await desk.getByRole('button', { name: 'Create Maintenance' }).click();
  await expect(said(desk, 'Maintenance Created')).toBeVisible();
  await expect(row(desk, 'Database upgrade')).toContainText('Scheduled');
  await expect(row(desk, 'Database upgrade')).toContainText('---');

  const maintenance = page.getByRole('article').filter({ hasText: 'Database upgrade' });
  await expect(maintenance).toContainText('Scheduled');
  await expect(maintenance).toContainText('Ends:---');

  await desk.getByRole('link', { name: 'Edit Database upgrade' }).click();
  await expect(desk.getByLabel('Start at')).toHaveValue(localMinute(start));
  await desk.getByRole('button', { name: 'Record Update' }).click();
  const dialog = desk.getByRole('dialog', { name: 'Record Update' });
  await dialog.getByText('Monitoring').click();
  await dialog.getByRole('textbox', { name: 'Message' }).fill('The copy is ready.');
  await dialog.getByRole('button', { name: 'Record Update' }).click();
  await expect(said(desk, 'Maintenance Update Created')).toBeVisible();
  await expect(row(desk, 'The copy is ready.')).toContainText('Monitoring');
  await expect(maintenance.getByRole('listitem')).toHaveText(/Monitoring.*The copy is ready\./);

  await desk.getByRole('button', { name: 'Cancel Maintenance' }).click();
  await desk.getByRole('alertdialog').getByRole('button', { name: 'Cancel Maintenance' }).click();
  await expect(maintenance).toContainText('Cancelled');
  await desk.getByRole('button', { name: 'Take Back Cancellation' }).click();
  await expect(maintenance).toContainText('Scheduled');
  await desk.getByRole('textbox', { name: 'Title' }).fill('Database move');
  await desk.getByRole('button', { name: 'Update Maintenance' }).click();
  await expect(row(desk, 'Database move')).toBeVisible();

  await desk.getByRole('button', { name: 'Delete Database move' }).click();
  await desk.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(said(desk, 'Maintenance deleted successfully')).toBeVisible();
  await expect(page.getByRole('article')).toHaveCount(0);
});

test('a maintenance begins by itself while a stranger watches, and the operator completes it', async ({
  desk,
  page,
  organisation,
}) => {
  await page.goto(organisation.statusPage);
  await expect(said(page, 'Live')).toBeVisible();
  await desk.goto('/schedules');
  await expect(said(desk, 'No Data')).toBeVisible();
  await organisation.call('POST', '/maintenance/create', {
    title: 'Cable swap',
    description: 'A minute of silence.',
    status: 'SCHEDULED',
    startAt: new Date(Date.now() + 6000).toISOString(),
    endAt: new Date(Date.now() + 3_600_000).toISOString(),
  });
  const maintenance = page.getByRole('article').filter({ hasText: 'Cable swap' });
  await expect(maintenance).toContainText('Scheduled');
  await expect(maintenance).toContainText('In Progress');

  await desk.reload();
  await expect(row(desk, 'Cable swap')).toContainText('In Progress');
  await desk.getByRole('button', { name: 'Complete Maintenance: Cable swap' }).click();
  await expect(said(desk, 'Maintenance completed successfully')).toBeVisible();
  await expect(row(desk, 'Cable swap')).toContainText('Completed');
  await expect(
    desk.getByRole('button', { name: 'Complete Maintenance: Cable swap' }),
  ).toBeDisabled();
  await expect(maintenance).toContainText('Completed');
});
