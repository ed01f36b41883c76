import type { Locator } from '@playwright/test';
import { expect, test } from './fixtures';

test('an open incident appears on the dashboard, and an update is recorded from there', async ({
  operatorPage,
  organisation,
}) => {
  const { id } = await organisation.createComponent('Website');
  await operatorPage.goto('/dashboard');
  await expect(operatorPage.getByText('All Systems Operational')).toBeVisible();
  await expect(operatorPage.getByText('There is no open incident.')).toBeVisible();

  await organisation.call('POST', '/incident/create', {
    title: 'Payments fail',
    description: 'We look into it.',
    status: 'INVESTIGATING',
    components: [{ componentId: id, status: 'MAJOR_OUTAGE' }],
  });
  const incidents = operatorPage.getByRole('region', { name: /^Open incidents/ });
  await expect(incidents.getByRole('link', { name: 'Payments fail' })).toBeVisible();
  await expect(operatorPage.getByText('Some systems are experiencing issues')).toBeVisible();
  await expect(operatorPage.getByRole('region', { name: /^Affected components/ })).toContainText(
    'Major Outage',
  );

  await incidents.getByRole('button', { name: 'Record Update: Payments fail' }).click();
  const dialog = operatorPage.getByRole('dialog', { name: 'Record Update' });
  await dialog.getByRole('radio', { name: 'Identified' }).check();
  await dialog.getByRole('textbox', { name: /Message/ }).fill('A cable was cut.');
  await dialog.getByRole('button', { name: 'Record Update' }).click();
  await expect(operatorPage.getByText('Incident Update Created')).toBeVisible();
  await expect(incidents.getByText('Identified')).toBeVisible();
  await expect(
    operatorPage.getByRole('region', { name: 'Last changes' }).getByRole('listitem').first(),
  ).toContainText('Ada Lovelace recorded an update of incident Payments fail');
});

test('the range of the metrics and the table of a chart are reached by keyboard', async ({
  operatorPage,
  organisation,
}) => {
  const { id } = await organisation.createComponent('Website');
  await organisation.call('POST', '/incident/create', {
    title: 'Payments fail',
    description: 'We look into it.',
    status: 'INVESTIGATING',
    components: [{ componentId: id, status: 'MAJOR_OUTAGE' }],
  });
  await operatorPage.goto('/metrics');
  const weeks = operatorPage.getByRole('region', { name: 'Incidents by week' });
  const chart = weeks.getByRole('application', { name: 'Incidents by week, chart' });
  await expect(chart).toBeVisible();

  const figure = weeks.locator('.recharts-text').first();
  const colourOf = (element: Locator, property: string) =>
    element.evaluate((node, name) => getComputedStyle(node).getPropertyValue(name), property);
  await operatorPage.emulateMedia({ forcedColors: 'active' });
  const heading = weeks.getByRole('heading', { name: 'Incidents by week' });
  expect(await colourOf(figure, 'fill')).toBe(await colourOf(heading, 'color'));
  await operatorPage.emulateMedia({ forcedColors: 'none' });

  await operatorPage.getByRole('link', { name: '30 days' }).focus();
  await operatorPage.keyboard.press('Tab');
  await operatorPage.keyboard.press('Enter');
  await expect(operatorPage).toHaveURL('/metrics?days=90');
  await expect(operatorPage.getByRole('link', { name: '90 days' })).toHaveAttribute(
    'aria-current',
    'true',
  );

  const button = weeks.getByRole('button', { name: 'Table: Incidents by week' });
  await button.focus();
  await operatorPage.keyboard.press('Enter');
  await expect(button).toHaveAttribute('aria-expanded', 'true');
  await expect(weeks.getByRole('row').last()).toContainText('1');

  await chart.focus();
  await operatorPage.keyboard.press('End');
  await operatorPage.keyboard.press('ArrowRight');
  await expect(weeks.locator('.recharts-tooltip-wrapper')).toBeVisible();
  await expect(weeks.getByRole('status')).not.toBeEmpty();

  const download = operatorPage.waitForEvent('download');
  await weeks.getByRole('button', { name: 'Download CSV: Incidents by week' }).press('Enter');
  expect((await download).suggestedFilename()).toMatch(/^incidents-by-week-.*\.csv$/);
});
