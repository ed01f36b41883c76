import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const nameField = (page: Page) => page.getByRole('textbox', { name: 'Name' });
const sidebar = (page: Page) => page.getByRole('navigation', { name: 'Main' });

test('an operator creates, edits and deletes a component while a stranger watches', async ({
  operatorPage,
  page,
  organisation,
}) => {
  await page.goto(organisation.statusPage);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  const publicComponents = page.getByRole('region', { name: 'Components' });

  await operatorPage.goto('/components');
  await expect(operatorPage.getByText('No Data')).toBeVisible();
  await expect(
    operatorPage.getByText(
      'Add what your status page should speak of: a website, an API, a region.',
    ),
  ).toBeVisible();
  await operatorPage.getByRole('link', { name: 'New Component' }).click();
  await expect(
    operatorPage.getByRole('heading', { level: 1, name: 'Create Component' }),
  ).toBeVisible();
  await expect(operatorPage.getByRole('radio', { name: 'Operational' })).toBeChecked();
  await nameField(operatorPage).fill('Website');
  await operatorPage.getByPlaceholder('Enter description...').fill('The shop window');
  await operatorPage.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(operatorPage.getByText('Component Created', { exact: true })).toBeVisible();
  await expect(operatorPage).toHaveURL('/components');
  await expect(row(operatorPage, 'Website')).toContainText('Operational');
  await expect(publicComponents.getByRole('listitem')).toHaveText(
    /Website.*The shop window.*Operational/,
  );

  await operatorPage.getByRole('link', { name: 'Edit Website' }).click();
  await expect(
    operatorPage.getByRole('heading', { level: 1, name: 'Edit Component' }),
  ).toBeVisible();
  await expect(nameField(operatorPage)).toHaveValue('Website');
  await nameField(operatorPage).fill('Shop');
  await operatorPage.getByText('Major Outage').click();
  await operatorPage.getByRole('button', { name: 'Update', exact: true }).click();
  await expect(operatorPage.getByText('Component Updated', { exact: true })).toBeVisible();
  await expect(operatorPage).toHaveURL('/components');
  await expect(row(operatorPage, 'Shop')).toContainText('Major Outage');
  await expect(publicComponents.getByRole('listitem')).toHaveText(/Shop.*Major Outage/);
  await expect(page.getByRole('region', { name: 'Current status' })).toContainText(
    'Some systems are experiencing issues',
  );

  await operatorPage.getByRole('button', { name: 'Delete Shop' }).click();
  const question = operatorPage.getByRole('alertdialog', { name: 'Delete this component?' });
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(row(operatorPage, 'Shop')).toBeVisible();
  await operatorPage.getByRole('button', { name: 'Delete Shop' }).click();
  await question.getByRole('button', { name: 'Delete' }).click();
  await expect(operatorPage.getByText('Component Deleted', { exact: true })).toBeVisible();
  await expect(operatorPage.getByText('No Data')).toBeVisible();
  await expect(publicComponents.getByRole('listitem')).toHaveCount(0);
});

test('a name is asked for, and what was typed is not lost by mistake', async ({
  operatorPage,
  organisation,
}) => {
  await organisation.createComponent('Website');
  await operatorPage.goto('/components');
  await operatorPage.getByRole('link', { name: 'New Component' }).click();
  await operatorPage.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(operatorPage.getByRole('alert')).toHaveText('Name is required');
  await expect(nameField(operatorPage)).toBeFocused();
  await nameField(operatorPage).fill('x');
  await operatorPage.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(operatorPage.getByRole('alert')).toHaveText('Name is required');

  await sidebar(operatorPage).getByRole('link', { name: 'Incidents' }).click();
  const question = operatorPage.getByRole('alertdialog', { name: 'Leave without saving?' });
  await question.getByRole('button', { name: 'Stay' }).click();
  await expect(nameField(operatorPage)).toHaveValue('x');
  await operatorPage.getByRole('button', { name: 'Cancel' }).click();
  await expect(operatorPage).toHaveURL('/components');
  await expect(row(operatorPage, 'Website')).toBeVisible();
});

test('several components are deleted at once, five are on a page', async ({
  operatorPage,
  organisation,
}) => {
  for (const name of ['Six', 'Five', 'Four', 'Three', 'Two', 'One']) {
    await organisation.createComponent(name);
  }
  await operatorPage.goto('/components');
  await expect(operatorPage.getByText('Page 1 of 2')).toBeVisible();
  await expect(operatorPage.getByRole('cell', { name: /^Select/ })).toHaveCount(5);
  await operatorPage.getByRole('button', { name: 'Next' }).click();
  await expect(row(operatorPage, 'Six')).toBeVisible();
  await operatorPage.getByRole('button', { name: 'Previous' }).click();
  await operatorPage.getByRole('checkbox', { name: 'Select all rows on this page' }).check();
  await expect(operatorPage.getByText('5 selected')).toBeVisible();
  await operatorPage.getByRole('button', { name: 'Delete', exact: true }).click();
  const question = operatorPage.getByRole('alertdialog', { name: 'Delete 5 components?' });
  await question.getByRole('button', { name: 'Delete' }).click();
  await expect(operatorPage.getByText('Component Deleted', { exact: true })).toBeVisible();
  await expect(operatorPage.getByText('Page 1 of 1')).toBeVisible();
  await expect(row(operatorPage, 'Six')).toBeVisible();
});

test('a component that is gone cannot be edited from an old tab', async ({
  operatorPage,
  organisation,
  consoleErrors,
}) => {
  const { id } = await organisation.createComponent('Website');
  await operatorPage.goto('/components');
  await operatorPage.getByRole('link', { name: 'Edit Website' }).click();
  await expect(nameField(operatorPage)).toHaveValue('Website');
  await nameField(operatorPage).fill('Shop');
  await organisation.call('DELETE', `/component/${id}`);

  await operatorPage.getByRole('button', { name: 'Update', exact: true }).click();
  await expect(operatorPage.getByText('Error', { exact: true })).toBeVisible();
  await expect(nameField(operatorPage)).toHaveValue('Shop');
  await operatorPage.getByRole('button', { name: 'Cancel' }).click();
  await expect(operatorPage).toHaveURL('/components');
  await expect(operatorPage.getByText('No Data')).toBeVisible();

  await operatorPage.goto(`/components/component/edit/${id}`);
  await expect(operatorPage.getByText('Error loading component', { exact: true })).toBeVisible();
  await expect(operatorPage).toHaveURL('/components');
  // The browser reports the 404.
  for (const complaint of consoleErrors.splice(0)) expect(complaint).toContain('404');
});

test('whoever saves second sees the version of whoever saved first', async ({
  operatorPage,
  organisation,
  consoleErrors,
}) => {
  const { id } = await organisation.createComponent('Website');
  await operatorPage.goto('/components');
  await operatorPage.getByRole('link', { name: 'Edit Website' }).click();
  await expect(nameField(operatorPage)).toHaveValue('Website');
  await nameField(operatorPage).fill('Storefront');
  await organisation.call('PATCH', `/component/${id}`, { name: 'Shop', status: 'DEGRADED' });

  await operatorPage.getByRole('button', { name: 'Update', exact: true }).click();
  const conflict = operatorPage.getByRole('alert').filter({ hasText: 'Somebody else has changed' });
  await expect(conflict).toContainText('Shop');
  await expect(conflict).toContainText('Degraded Performance');
  await expect(nameField(operatorPage)).toHaveValue('Storefront');
  // The browser reports the rejection.
  expect(consoleErrors.splice(0)).toEqual([expect.stringContaining('412')]);

  await conflict.getByRole('button', { name: 'Use their version' }).click();
  await expect(nameField(operatorPage)).toHaveValue('Shop');
  await operatorPage.getByText('Partial Outage').click();
  await operatorPage.getByRole('button', { name: 'Update', exact: true }).click();
  await expect(row(operatorPage, 'Shop')).toContainText('Partial Outage');
});

test('the sidebar folds by Ctrl+B, and is found as it was left', async ({ operatorPage }) => {
  await operatorPage.goto('/components');
  const toggle = operatorPage.getByRole('button', { name: 'Toggle sidebar (Ctrl+B)' });
  const column = operatorPage.getByRole('complementary', { name: 'Sidebar' });
  const width = () => column.evaluate((element) => element.getBoundingClientRect().width);
  const cookie = async () =>
    (await operatorPage.context().cookies()).find(({ name }) => name === 'sidebar:state');
  await expect(toggle).toHaveAttribute('aria-expanded', 'true');
  await expect.poll(width).toBe(256);

  await operatorPage.keyboard.press('Control+b');
  await expect(toggle).toHaveAttribute('aria-expanded', 'false');
  await expect.poll(width).toBe(48);
  const { value, path, expires = 0 } = (await cookie()) ?? {};
  expect({ value, path }).toEqual({ value: 'false', path: '/' });
  const days = (expires * 1000 - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(6.9);
  expect(days).toBeLessThan(7.1);

  await operatorPage.reload();
  await expect(toggle).toHaveAttribute('aria-expanded', 'false');
  await sidebar(operatorPage).getByRole('link', { name: 'Incidents' }).hover();
  await expect(operatorPage.getByRole('tooltip', { name: 'Incidents' })).toBeVisible();
  await toggle.click();
  await expect.poll(width).toBeGreaterThan(200);
  expect((await cookie())?.value).toBe('true');
});

test('on a phone the sidebar slides over the page, and Edit and Delete are in reach', async ({
  operatorPage,
  organisation,
}) => {
  await organisation.createComponent('A component with quite a long name', {
    status: 'DEGRADED',
  });
  await operatorPage.setViewportSize({ width: 390, height: 844 });
  await operatorPage.goto('/dashboard');
  await expect(sidebar(operatorPage)).toBeHidden();
  await operatorPage.getByRole('button', { name: 'Toggle sidebar (Ctrl+B)' }).click();
  const panel = operatorPage.getByRole('dialog', { name: 'Navigation' });
  await expect
    .poll(() => panel.evaluate((element) => element.getBoundingClientRect().width))
    .toBe(288);
  await panel.getByRole('link', { name: 'Components' }).click();
  await expect(panel).toBeHidden();
  await expect(operatorPage).toHaveURL('/components');

  await expect(operatorPage.getByRole('link', { name: /^Edit A component/ })).toBeInViewport({
    ratio: 1,
  });
  await operatorPage.getByRole('button', { name: /^Delete A component/ }).click();
  await operatorPage.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(operatorPage.getByText('Component Deleted', { exact: true })).toBeVisible();
});
