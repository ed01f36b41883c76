import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures';
import type { Organisation } from './operator';

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const said = (page: Page, text: string) => page.getByText(text, { exact: true });
const offered = (select: Locator) => select.getByRole('option').allTextContents();
const statusOf = (page: Page, component: string) =>
  page.getByRole('region', { name: 'Components' }).getByRole('listitem').filter({
    hasText: component,
  });

async function openIncident(
  organisation: Organisation,
  title: string,
  componentIds: string[] = [],
) {
  return organisation.call<{ id: string }>('POST', '/incident/create', {
    title,
    description: 'We look into it.',
    status: 'INVESTIGATING',
    occuredAt: new Date().toISOString(),
    components: componentIds.map((componentId) => ({ componentId, status: 'PARTIAL_OUTAGE' })),
  });
}

test('an incident from its report to its resolution, as operator and visitor see it', async ({
  operatorPage,
  page,
  organisation,
}) => {
  await organisation.createComponent('Website');
  await organisation.createComponent('Checkout');
  await page.goto(organisation.statusPage);
  await expect(said(page, 'Live')).toBeVisible();

  await operatorPage.goto('/incidents');
  await expect(said(operatorPage, 'No Data')).toBeVisible();
  await operatorPage.getByRole('link', { name: 'New Incident' }).click();
  await operatorPage.getByRole('button', { name: 'Create Incident' }).click();
  await expect(said(operatorPage, 'Title is required')).toBeVisible();
  await expect(said(operatorPage, 'Description is required')).toBeVisible();
  await operatorPage.getByRole('textbox', { name: 'Title' }).fill('Payments fail');
  await operatorPage.getByRole('textbox', { name: 'Description' }).fill('Cards are declined.');
  const add = operatorPage.getByRole('button', { name: 'Add Component' });
  await add.click();
  await operatorPage.getByRole('button', { name: 'Create Incident' }).click();
  await expect(said(operatorPage, 'Component is required')).toBeVisible();
  const components = operatorPage.getByRole('combobox', { name: 'Component' });
  const statuses = operatorPage.getByRole('combobox', { name: 'Status' });
  await components.selectOption('Checkout');
  await statuses.selectOption('Major Outage');
  await add.click();
  expect(await offered(components.nth(1))).toEqual(['Select a component', 'Website']);
  await expect(add).toBeDisabled();
  await components.nth(1).selectOption('Website');
  await statuses.nth(1).selectOption('Degraded Performance');
  await operatorPage.getByRole('button', { name: 'Create Incident' }).click();
  await expect(said(operatorPage, 'Incident Created')).toBeVisible();
  await expect(operatorPage).toHaveURL('/incidents');
  await expect(row(operatorPage, 'Payments fail')).toContainText('Investigating');

  const incident = page.getByRole('article').filter({ hasText: 'Payments fail' });
  await expect(incident).toContainText('Cards are declined.');
  await expect(statusOf(page, 'Checkout')).toContainText('Major Outage');
  await expect(statusOf(page, 'Website')).toContainText('Degraded Performance');

  await operatorPage.getByRole('button', { name: 'Record Updated' }).click();
  const dialog = operatorPage.getByRole('dialog', { name: 'Record Update' });
  await dialog.getByRole('button', { name: 'Record Update' }).click();
  await expect(said(operatorPage, 'Message is required')).toBeVisible();
  await dialog.getByText('Identified').click();
  await dialog.getByRole('textbox', { name: 'Message' }).fill('The bank is down.');
  await dialog.getByRole('button', { name: 'Record Update' }).click();
  await expect(said(operatorPage, 'Incident Update Created')).toBeVisible();
  await expect(row(operatorPage, 'Payments fail')).toContainText('Identified');
  const timeline = incident.getByRole('list', { name: 'Timeline of Payments fail' });
  await expect(timeline.getByRole('listitem')).toHaveText(/Identified.*The bank is down\./);

  await operatorPage.getByRole('link', { name: 'Edit Payments fail' }).click();
  await expect(row(operatorPage, 'The bank is down.')).toContainText('Ada Lovelace');
  await operatorPage.getByRole('button', { name: 'Record Update' }).click();
  await dialog.getByText('Resolved').click();
  await dialog.getByRole('textbox', { name: 'Message' }).fill('Payments pass again.');
  await dialog.getByRole('button', { name: 'Record Update' }).click();
  await expect(row(operatorPage, 'Payments pass again.')).toBeVisible();
  await expect(operatorPage.getByRole('button', { name: 'Record Update' })).toBeDisabled();
  await expect(operatorPage.getByRole('radio', { name: 'Resolved' })).toBeChecked();

  await expect(timeline.getByRole('listitem').first()).toContainText('Payments pass again.');
  await expect(statusOf(page, 'Checkout')).toContainText('Operational');
  await expect(statusOf(page, 'Website')).toContainText('Operational');
  await expect(page.getByRole('region', { name: 'Current status' })).toContainText(
    'All Systems Operational',
  );
  // The author of an update is not public.
  await expect(page.getByText('Ada Lovelace')).toBeHidden();

  await operatorPage.getByRole('link', { name: 'Incidents' }).click();
  await expect(operatorPage.getByRole('button', { name: 'Record Updated' })).toBeDisabled();
  await operatorPage.getByRole('button', { name: 'Delete Payments fail' }).click();
  await operatorPage.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(said(operatorPage, 'Incident Deleted')).toBeVisible();
  await expect(incident).toBeHidden();
});

test('an update that cannot be saved is kept, and is saved at the next try', async ({
  operatorPage,
  organisation,
  consoleErrors,
}) => {
  await openIncident(organisation, 'Payments fail');
  await operatorPage.goto('/incidents');
  await operatorPage.getByRole('button', { name: 'Record Updated' }).click();
  const dialog = operatorPage.getByRole('dialog', { name: 'Record Update' });
  await dialog.getByRole('textbox', { name: 'Message' }).fill('The bank is down.');
  await operatorPage.route('**/updates/create', (route) => route.abort());
  await dialog.getByRole('button', { name: 'Record Update' }).click();
  await expect(dialog.getByRole('alert')).toContainText('The server cannot be reached.');
  expect(consoleErrors.splice(0)).toEqual([expect.stringContaining('net::ERR_FAILED')]);
  await operatorPage.unroute('**/updates/create');

  await dialog.getByRole('button', { name: 'Record Update' }).click();
  await expect(said(operatorPage, 'Incident Update Created')).toBeVisible();
  await expect(dialog).toBeHidden();
  await operatorPage.getByRole('link', { name: 'Edit Payments fail' }).click();
  await expect(row(operatorPage, 'The bank is down.')).toBeVisible();
});

test('an update on a phone has its button in view, and says when the incident has moved on', async ({
  operatorPage,
  organisation,
}) => {
  const { id } = await openIncident(organisation, 'Payments fail');
  await operatorPage.setViewportSize({ width: 390, height: 664 });
  await operatorPage.goto('/incidents');
  await operatorPage.getByRole('button', { name: 'Record Updated' }).click();
  const dialog = operatorPage.getByRole('dialog', { name: 'Record Update' });
  const record = dialog.getByRole('button', { name: 'Record Update' });
  await expect(record).toBeInViewport({ ratio: 1 });
  await dialog.getByRole('textbox', { name: 'Message' }).fill('We look into it.');

  await organisation.call('POST', `/incident/${id}/updates/create`, {
    message: 'Payments pass again.',
    status: 'MONITORING',
  });
  const back = dialog.getByText('This moves the incident back from Monitoring to Investigating.');
  await expect(back).toBeVisible();
  await record.click();
  await expect(said(operatorPage, 'Error while creating or updating incident')).toBeVisible();
  const conflict = dialog.getByRole('alert');
  await expect(conflict).toContainText('This incident has changed since you opened it');
  await expect(conflict).toBeInViewport({ ratio: 1 });
  await conflict.getByRole('button', { name: 'Use the New Version' }).click();
  await expect(back).toBeHidden();
  await record.click();
  await expect(said(operatorPage, 'Incident Update Created')).toBeVisible();
  await expect(row(operatorPage, 'Payments fail')).toContainText('Monitoring');
});

test('components are attached once each, and return to normal once they are detached', async ({
  operatorPage,
  page,
  organisation,
}) => {
  const website = await organisation.createComponent('Website');
  await organisation.createComponent('Checkout');
  await organisation.createComponent('Search');
  const { id } = await openIncident(organisation, 'Slow answers', [website.id]);
  await page.goto(organisation.statusPage);
  await expect(statusOf(page, 'Website')).toContainText('Partial Outage');

  await operatorPage.goto(`/incidents/incident/edit/${id}`);
  await operatorPage.getByRole('tab', { name: 'Components' }).click();
  await operatorPage.getByRole('button', { name: 'Attach', exact: true }).click();
  const dialog = operatorPage.getByRole('dialog', { name: 'Attach Components' });
  const attach = dialog.getByRole('button', { name: 'Attach', exact: true });
  await attach.click();
  await expect(said(operatorPage, 'At least one component is required')).toBeVisible();
  const add = dialog.getByRole('button', { name: 'Add Component' });
  await add.click();
  const components = dialog.getByRole('combobox', { name: 'Component' });
  expect((await offered(components)).toSorted()).toEqual([
    'Checkout',
    'Search',
    'Select a component',
  ]);
  await components.selectOption('Search');
  await dialog.getByRole('combobox', { name: 'Status' }).selectOption('Major Outage');
  await add.click();
  expect(await offered(components.nth(1))).toEqual(['Select a component', 'Checkout']);
  await expect(add).toBeDisabled();
  await dialog.getByRole('button', { name: 'Remove' }).last().click();
  await attach.click();
  await expect(said(operatorPage, 'Components attached successfully')).toBeVisible();
  await expect(row(operatorPage, 'Search')).toContainText('Major Outage');
  await expect(statusOf(page, 'Search')).toContainText('Major Outage');

  await operatorPage.getByRole('button', { name: 'Attach', exact: true }).click();
  await add.click();
  expect(await offered(components)).toEqual(['Select a component', 'Checkout']);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await operatorPage.getByRole('button', { name: 'Discard' }).click();
  await expect(dialog).toBeHidden();

  await operatorPage.getByRole('checkbox', { name: 'Select all rows on this page' }).check();
  await operatorPage.getByRole('button', { name: 'Detach', exact: true }).click();
  const question = operatorPage.getByRole('alertdialog', { name: 'Detach 2 components?' });
  await question.getByRole('button', { name: 'Detach' }).click();
  await expect(said(operatorPage, 'Component(s) detached successfully')).toBeVisible();
  await expect(said(operatorPage, 'No Data')).toBeVisible();
  await expect(statusOf(page, 'Website')).toContainText('Operational');
  await expect(statusOf(page, 'Search')).toContainText('Operational');
});

test('updates are corrected and deleted, and the incident follows its newest one', async ({
  operatorPage,
  organisation,
}) => {
  const { id } = await openIncident(organisation, 'Slow answers');
  for (const [status, message] of [
    ['IDENTIFIED', 'A disk is full.'],
    ['RESOLVED', 'All is well.'],
  ]) {
    await organisation.call('POST', `/incident/${id}/updates/create`, { status, message });
  }
  await operatorPage.goto(`/incidents/incident/edit/${id}`);
  const status = operatorPage.getByRole('radiogroup', { name: 'Status' });
  await expect(status.getByRole('radio', { name: 'Resolved' })).toBeChecked();

  await operatorPage.getByRole('button', { name: 'Edit update “All is well.”' }).click();
  const dialog = operatorPage.getByRole('dialog', { name: 'Edit Update' });
  await dialog.getByText('Monitoring').click();
  await dialog.getByRole('textbox', { name: 'Message' }).fill('We watch it.');
  await dialog.getByRole('button', { name: 'Update', exact: true }).click();
  await expect(said(operatorPage, 'Incident Update Modified')).toBeVisible();
  await expect(row(operatorPage, 'We watch it.')).toContainText('Monitoring');
  await expect(status.getByRole('radio', { name: 'Monitoring' })).toBeChecked();

  await operatorPage.getByRole('button', { name: 'Delete update “We watch it.”' }).click();
  const question = operatorPage.getByRole('alertdialog', { name: 'Delete this update?' });
  await expect(question).toContainText('changes from Monitoring to Identified.');
  await question.getByRole('checkbox', { name: 'Notify subscribers' }).uncheck();
  await question.getByRole('button', { name: 'Delete' }).click();
  await expect(said(operatorPage, 'Update(s) deleted successfully')).toBeVisible();
  await expect(row(operatorPage, 'We watch it.')).toBeHidden();
  await expect(status.getByRole('radio', { name: 'Identified' })).toBeChecked();
});
