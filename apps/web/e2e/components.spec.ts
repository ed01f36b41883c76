import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const nameField = (page: Page) => page.getByRole('textbox', { name: 'Name' });
const sidebar = (page: Page) => page.getByRole('navigation', { name: 'Main' });

test('an operator creates, edits and deletes a component while a visitor watches', async ({
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
    operatorPage.getByText('Add what your status page shows: a website, an API, a region.'),
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

test('a press beside the name of a column sorts by it', async ({ operatorPage, organisation }) => {
  await organisation.createComponent('Website');
  await operatorPage.goto('/components');
  const head = operatorPage
    .getByRole('table', { name: 'Components' })
    .getByRole('columnheader', { name: 'Name' });
  await expect(row(operatorPage, 'Website')).toBeVisible();
  const box = await head.boundingBox();
  if (!box) throw new Error('the column is not shown');
  await operatorPage.mouse.click(box.x + box.width - 10, box.y + box.height / 2);
  await expect(head).not.toHaveAttribute('aria-sort', 'none');
});

test('a printed list keeps its headings', async ({ operatorPage, organisation }) => {
  await organisation.createComponent('Website');
  await operatorPage.goto('/components');
  const list = operatorPage.getByRole('group', { name: 'Components' });
  const heading = list.getByRole('button', { name: 'Name', exact: true });
  await expect(heading).toBeVisible();
  await operatorPage.emulateMedia({ media: 'print' });
  await expect(heading).toBeVisible();
  await expect(operatorPage.getByRole('navigation', { name: 'Main' })).toBeHidden();
});
