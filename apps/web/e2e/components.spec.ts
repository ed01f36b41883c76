import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const nameField = (page: Page) => page.getByRole('textbox', { name: 'Name' });
const sidebar = (page: Page) => page.getByRole('navigation', { name: 'Main' });

test('an operator creates, edits and deletes a component while a stranger watches', async ({
  desk,
  page,
  organisation,
}) => {
  await page.goto(organisation.statusPage);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  const publicComponents = page.getByRole('region', { name: 'Components' });

  await desk.goto('/components');
  await expect(desk.getByText('No Data')).toBeVisible();
  await expect(
    desk.getByText('Add what your status page should speak of: a website, an API, a region.'),
  ).toBeVisible();
  await desk.getByRole('link', { name: 'New Component' }).click();
  await expect(desk.getByRole('heading', { level: 1, name: 'Create Component' })).toBeVisible();
  await expect(desk.getByRole('radio', { name: 'Operational' })).toBeChecked();
  await nameField(desk).fill('Website');
  await desk.getByPlaceholder('Enter description...').fill('The shop window');
  await desk.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(desk.getByText('Component Created', { exact: true })).toBeVisible();
  await expect(desk).toHaveURL('/components');
  await expect(row(desk, 'Website')).toContainText('Operational');
  await expect(publicComponents.getByRole('listitem')).toHaveText(
    /Website.*The shop window.*Operational/,
  );

  await desk.getByRole('link', { name: 'Edit Website' }).click();
  await expect(desk.getByRole('heading', { level: 1, name: 'Edit Component' })).toBeVisible();
  await expect(nameField(desk)).toHaveValue('Website');
  await nameField(desk).fill('Shop');
  await desk.getByText('Major Outage').click();
  await desk.getByRole('button', { name: 'Update', exact: true }).click();
  await expect(desk.getByText('Component Updated', { exact: true })).toBeVisible();
  await expect(desk).toHaveURL('/components');
  await expect(row(desk, 'Shop')).toContainText('Major Outage');
  await expect(publicComponents.getByRole('listitem')).toHaveText(/Shop.*Major Outage/);
  await expect(page.getByRole('region', { name: 'Current status' })).toContainText(
    'Some systems are experiencing issues',
  );

  await desk.getByRole('button', { name: 'Delete Shop' }).click();
  const question = desk.getByRole('alertdialog', { name: 'Delete this component?' });
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(row(desk, 'Shop')).toBeVisible();
  await desk.getByRole('button', { name: 'Delete Shop' }).click();
  await question.getByRole('button', { name: 'Delete' }).click();
  await expect(desk.getByText('Component Deleted', { exact: true })).toBeVisible();
  await expect(desk.getByText('No Data')).toBeVisible();
  await expect(publicComponents.getByRole('listitem')).toHaveCount(0);
});

test('a name is asked for, and what was typed is not lost by mistake', async ({
  desk,
  organisation,
}) => {
  await organisation.createComponent('Website');
  await desk.goto('/components');
  await desk.getByRole('link', { name: 'New Component' }).click();
  await desk.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(desk.getByRole('alert')).toHaveText('Name is required');
  await expect(nameField(desk)).toBeFocused();
  await nameField(desk).fill('x');
  await desk.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(desk.getByRole('alert')).toHaveText('Name is required');

  await sidebar(desk).getByRole('link', { name: 'Incidents' }).click();
  const question = desk.getByRole('alertdialog', { name: 'Leave without saving?' });
  await question.getByRole('button', { name: 'Stay' }).click();
  await expect(nameField(desk)).toHaveValue('x');
  await desk.getByRole('button', { name: 'Cancel' }).click();
  await expect(desk).toHaveURL('/components');
  await expect(row(desk, 'Website')).toBeVisible();
});

test('several components are deleted at once, five are on a page', async ({
  desk,
  organisation,
}) => {
  for (const name of ['Six', 'Five', 'Four', 'Three', 'Two', 'One']) {
    await organisation.createComponent(name);
  }
  await desk.goto('/components');
  await expect(desk.getByText('Page 1 of 2')).toBeVisible();
  await expect(desk.getByRole('cell', { name: /^Select/ })).toHaveCount(5);
  await desk.getByRole('button', { name: 'Next' }).click();
  await expect(row(desk, 'Six')).toBeVisible();
  await desk.getByRole('button', { name: 'Previous' }).click();
  await desk.getByRole('checkbox', { name: 'Select all rows on this page' }).check();
  await expect(desk.getByText('5 selected')).toBeVisible();
  await desk.getByRole('button', { name: 'Delete', exact: true }).click();
  const question = desk.getByRole('alertdialog', { name: 'Delete 5 components?' });
  await question.getByRole('button', { name: 'Delete' }).click();
  await expect(desk.getByText('Component Deleted', { exact: true })).toBeVisible();
  await expect(desk.getByText('Page 1 of 1')).toBeVisible();
  await expect(row(desk, 'Six')).toBeVisible();
});

test('a component that is gone cannot be edited from an old tab', async ({
  desk,
  organisation,
  complaints,
}) => {
  const { id } = await organisation.createComponent('Website');
  await desk.goto('/components');
  await desk.getByRole('link', { name: 'Edit Website' }).click();
  await expect(nameField(desk)).toHaveValue('Website');
  await nameField(desk).fill('Shop');
  await organisation.call('DELETE', `/component/${id}`);

  await desk.getByRole('button', { name: 'Update', exact: true }).click();
  await expect(desk.getByText('Error', { exact: true })).toBeVisible();
  await expect(nameField(desk)).toHaveValue('Shop');
  await desk.getByRole('button', { name: 'Cancel' }).click();
  await expect(desk).toHaveURL('/components');
  await expect(desk.getByText('No Data')).toBeVisible();

  await desk.goto(`/components/component/edit/${id}`);
  await expect(desk.getByText('Error loading component', { exact: true })).toBeVisible();
  await expect(desk).toHaveURL('/components');
  // The browser tells of what was not found.
  for (const complaint of complaints.splice(0)) expect(complaint).toContain('404');
});

test('whoever saves second sees the version of whoever saved first', async ({
  desk,
  organisation,
  complaints,
}) => {
  const { id } = await organisation.createComponent('Website');
  await desk.goto('/components');
  await desk.getByRole('link', { name: 'Edit Website' }).click();
  await expect(nameField(desk)).toHaveValue('Website');
  await nameField(desk).fill('Storefront');
  await organisation.call('PATCH', `/component/${id}`, { name: 'Shop', status: 'DEGRADED' });

  await desk.getByRole('button', { name: 'Update', exact: true }).click();
  const conflict = desk.getByRole('alert').filter({ hasText: 'Somebody else has changed' });
  await expect(conflict).toContainText('Shop');
  await expect(conflict).toContainText('Degraded Performance');
  await expect(nameField(desk)).toHaveValue('Storefront');
  // The browser tells of the refusal.
  expect(complaints.splice(0)).toEqual([expect.stringContaining('412')]);

  await conflict.getByRole('button', { name: 'Use their version' }).click();
  await expect(nameField(desk)).toHaveValue('Shop');
  await desk.getByText('Partial Outage').click();
  await desk.getByRole('button', { name: 'Update', exact: true }).click();
  await expect(row(desk, 'Shop')).toContainText('Partial Outage');
});

test('the sidebar folds by Ctrl+B, and is found as it was left', async ({ desk }) => {
  await desk.goto('/components');
  const toggle = desk.getByRole('button', { name: 'Toggle sidebar (Ctrl+B)' });
  const column = desk.getByRole('complementary', { name: 'Sidebar' });
  const width = () => column.evaluate((element) => element.getBoundingClientRect().width);
  const cookie = async () =>
    (await desk.context().cookies()).find(({ name }) => name === 'sidebar:state');
  await expect(toggle).toHaveAttribute('aria-expanded', 'true');
  await expect.poll(width).toBe(256);

  await desk.keyboard.press('Control+b');
  await expect(toggle).toHaveAttribute('aria-expanded', 'false');
  await expect.poll(width).toBe(48);
  const { value, path, expires = 0 } = (await cookie()) ?? {};
  expect({ value, path }).toEqual({ value: 'false', path: '/' });
  const days = (expires * 1000 - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(6.9);
  expect(days).toBeLessThan(7.1);

  await desk.reload();
  await expect(toggle).toHaveAttribute('aria-expanded', 'false');
  await sidebar(desk).getByRole('link', { name: 'Incidents' }).hover();
  await expect(desk.getByRole('tooltip', { name: 'Incidents' })).toBeVisible();
  await toggle.click();
  await expect.poll(width).toBeGreaterThan(200);
  expect((await cookie())?.value).toBe('true');
});

test('on a phone the sidebar slides over the page, and Edit and Delete are in reach', async ({
  desk,
  organisation,
}) => {
  await organisation.createComponent('A component with quite a long name', {
    status: 'DEGRADED',
  });
  await desk.setViewportSize({ width: 390, height: 844 });
  await desk.goto('/dashboard');
  await expect(sidebar(desk)).toBeHidden();
  await desk.getByRole('button', { name: 'Toggle sidebar (Ctrl+B)' }).click();
  const panel = desk.getByRole('dialog', { name: 'Navigation' });
  await expect
    .poll(() => panel.evaluate((element) => element.getBoundingClientRect().width))
    .toBe(288);
  await panel.getByRole('link', { name: 'Components' }).click();
  await expect(panel).toBeHidden();
  await expect(desk).toHaveURL('/components');

  await expect(desk.getByRole('link', { name: /^Edit A component/ })).toBeInViewport({
    ratio: 1,
  });
  await desk.getByRole('button', { name: /^Delete A component/ }).click();
  await desk.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(desk.getByText('Component Deleted', { exact: true })).toBeVisible();
});
