import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const said = (page: Page, text: string) => page.getByText(text, { exact: true });

/** The text of the input: the local time to the minute. */
function localMinute(instant: Date): string {
  const local = new Date(instant.getTime() - instant.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

test('an operator schedules a maintenance and says how it goes', async ({
  operatorPage,
  page,
  organisation,
}) => {
  await page.goto(organisation.statusPage);
  await expect(said(page, 'Live')).toBeVisible();
  await operatorPage.goto('/schedules');
  await expect(operatorPage.getByRole('heading', { level: 1, name: 'Maintenance' })).toBeVisible();
  await expect(said(operatorPage, 'No Data')).toBeVisible();
  await operatorPage.getByRole('button', { name: 'New Maintenance' }).click();
  await operatorPage.getByRole('button', { name: 'Create Maintenance' }).click();
  await expect(said(operatorPage, 'Title is required')).toBeVisible();
  await expect(said(operatorPage, 'Description is required')).toBeVisible();
  await expect(said(operatorPage, 'Invalid date format')).toBeVisible();

  const start = new Date(Date.now() + 86_400_000);
  await operatorPage.getByRole('textbox', { name: 'Title' }).fill('Database upgrade');
  await operatorPage.getByRole('textbox', { name: 'Description' }).fill('Writes pause.');
  await operatorPage.getByLabel('Start at').fill(localMinute(start));
  await operatorPage.getByLabel('End at').fill(localMinute(new Date(start.getTime() - 3_600_000)));
  await operatorPage.getByRole('button', { name: 'Create Maintenance' }).click();
  await expect(said(operatorPage, 'End must not be before start')).toBeVisible();
  await operatorPage.getByLabel('End at').fill('');
  await operatorPage.getByRole('button', { name: 'Create Maintenance' }).click();
  await expect(said(operatorPage, 'Maintenance Created')).toBeVisible();
  await expect(row(operatorPage, 'Database upgrade')).toContainText('Scheduled');
  await expect(row(operatorPage, 'Database upgrade')).toContainText('---');

  const maintenance = page.getByRole('article').filter({ hasText: 'Database upgrade' });
  await expect(maintenance).toContainText('Scheduled');
  await expect(maintenance).toContainText('Ends:---');

  await operatorPage.getByRole('link', { name: 'Edit Database upgrade' }).click();
  await expect(operatorPage.getByLabel('Start at')).toHaveValue(localMinute(start));
  await operatorPage.getByRole('button', { name: 'Record Update' }).click();
  const dialog = operatorPage.getByRole('dialog', { name: 'Record Update' });
  await dialog.getByText('Monitoring').click();
  await dialog.getByRole('textbox', { name: 'Message' }).fill('The copy is ready.');
  await dialog.getByRole('button', { name: 'Record Update' }).click();
  await expect(said(operatorPage, 'Maintenance Update Created')).toBeVisible();
  await expect(row(operatorPage, 'The copy is ready.')).toContainText('Monitoring');
  await expect(maintenance.getByRole('listitem')).toHaveText(/Monitoring.*The copy is ready\./);

  await operatorPage.getByRole('button', { name: 'Cancel Maintenance' }).click();
  await operatorPage
    .getByRole('alertdialog')
    .getByRole('button', { name: 'Cancel Maintenance' })
    .click();
  await expect(maintenance).toContainText('Cancelled');
  await operatorPage.getByRole('button', { name: 'Undo Cancellation' }).click();
  await operatorPage
    .getByRole('alertdialog')
    .getByRole('button', { name: 'Undo Cancellation' })
    .click();
  await expect(maintenance).toContainText('Scheduled');
  await operatorPage.getByRole('textbox', { name: 'Title' }).fill('Database move');
  await operatorPage.getByRole('button', { name: 'Update Maintenance' }).click();
  await expect(row(operatorPage, 'Database move')).toBeVisible();

  await operatorPage.getByRole('button', { name: 'Delete Database move' }).click();
  await operatorPage.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(said(operatorPage, 'Maintenance deleted successfully')).toBeVisible();
  await expect(page.getByRole('article')).toHaveCount(0);
});

test('a maintenance begins by itself while a visitor watches, and the operator completes it', async ({
  operatorPage,
  page,
  organisation,
}) => {
  await page.goto(organisation.statusPage);
  await expect(said(page, 'Live')).toBeVisible();
  await operatorPage.goto('/schedules');
  await expect(said(operatorPage, 'No Data')).toBeVisible();
  const { id } = await organisation.call<{ id: string }>('POST', '/maintenance/create', {
    title: 'Cable swap',
    description: 'A minute of silence.',
    status: 'SCHEDULED',
    startAt: new Date(Date.now() + 86_400_000).toISOString(),
    endAt: new Date(Date.now() + 90_000_000).toISOString(),
  });
  const maintenance = page.getByRole('article').filter({ hasText: 'Cable swap' });
  await expect(maintenance).toContainText('Scheduled');
  const soon = new Date(Date.now() + 1000).toISOString();
  await organisation.call('PATCH', `/maintenance/${id}`, { startAt: soon });
  await expect(maintenance).toContainText('In Progress');

  await operatorPage.reload();
  await expect(row(operatorPage, 'Cable swap')).toContainText('In Progress');
  await operatorPage.getByRole('button', { name: 'Complete Maintenance' }).click();
  const question = operatorPage.getByRole('alertdialog', { name: 'Complete this maintenance?' });
  await expect(question.getByRole('checkbox', { name: 'Notify subscribers' })).toBeChecked();
  await question.getByRole('button', { name: 'Complete Maintenance' }).click();
  await expect(said(operatorPage, 'Maintenance completed successfully')).toBeVisible();
  await expect(row(operatorPage, 'Cable swap')).toContainText('Completed');
  await expect(
    row(operatorPage, 'Cable swap').getByRole('button', { name: 'Complete Maintenance' }),
  ).toBeDisabled();
  await expect(maintenance).toContainText('Completed');
});

test('a component is under maintenance from the beginning to the end, on an open page too', async ({
  operatorPage,
  page,
  organisation,
}) => {
  await organisation.createComponent('API');
  const broken = await organisation.createComponent('Website');
  await organisation.call('PATCH', `/component/${broken.id}`, { status: 'PARTIAL_OUTAGE' });
  await page.goto(organisation.statusPage);
  await expect(said(page, 'Live')).toBeVisible();
  const components = page.getByRole('region', { name: 'Components' });
  const shown = (name: string) =>
    components.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) });

  await operatorPage.goto('/schedules/maintenance/create');
  await operatorPage.getByRole('textbox', { name: 'Title' }).fill('Database upgrade');
  await operatorPage.getByRole('textbox', { name: 'Description' }).fill('Writes pause.');
  const tomorrow = new Date(Date.now() + 86_400_000);
  await operatorPage.getByLabel('Start at').fill(localMinute(tomorrow));
  for (const name of ['API', 'Website']) {
    await operatorPage.getByRole('button', { name: 'Add Component' }).click();
    await operatorPage.getByRole('combobox', { name: 'Component' }).last().selectOption(name);
  }
  await operatorPage.getByRole('button', { name: 'Create Maintenance' }).click();
  await expect(said(operatorPage, 'Maintenance Created')).toBeVisible();
  const maintenance = page.getByRole('article').filter({ hasText: 'Database upgrade' });
  await expect(maintenance.getByRole('list', { name: /^Components affected/ })).toHaveText(
    'WebsiteAPI',
  );
  await expect(shown('API')).toContainText('Operational');

  const [planned] = await organisation.call<{ id: string }[]>('GET', '/maintenance/list');
  const soon = new Date(Date.now() + 2000).toISOString();
  await organisation.call('PATCH', `/maintenance/${planned?.id}`, { startAt: soon });
  await expect(shown('API')).toContainText('Under Maintenance');
  await expect(shown('API')).not.toContainText('Operational');
  await expect(shown('Website')).toContainText('Partial Outage');
  await expect(shown('Website')).toContainText('Under Maintenance');
  await expect(page.getByRole('log')).toContainText('API: Under Maintenance');
  await page.reload();
  await expect(said(page, 'Live')).toBeVisible();
  await expect(shown('API')).toContainText('Under Maintenance');
  await expect(shown('Website')).toContainText('Partial OutageUnder Maintenance');
  await expect(components).toContainText('Maintenance: Database upgrade');
  await operatorPage.goto('/components');
  await expect(row(operatorPage, 'Website')).toContainText('Under Maintenance');

  await operatorPage.goto('/schedules');
  await operatorPage.getByRole('button', { name: /^Complete Maintenance/ }).click();
  const question = operatorPage.getByRole('alertdialog');
  await question.getByRole('button', { name: 'Complete Maintenance' }).click();
  await expect(shown('API')).toContainText('Operational');
  await expect(components).not.toContainText('Under Maintenance');
});
