import { expect, test } from './fixtures';

test('an operator creates a group, puts a component into it, and a visitor sees both at once', async ({
  operatorPage,
  page,
  organisation,
}) => {
  await organisation.createComponent('Website');
  await organisation.createComponent('Zurich', { status: 'PARTIAL_OUTAGE' });
  await page.goto(organisation.statusPage);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  const components = page.getByRole('region', { name: 'Components' });

  await operatorPage.goto('/components');
  await operatorPage.getByRole('button', { name: 'New Group' }).click();
  const dialog = operatorPage.getByRole('dialog', { name: 'Create Group' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Europe');
  await dialog.getByRole('textbox', { name: 'Description' }).fill('Two regions');
  await dialog.getByRole('combobox', { name: 'On the status page' }).selectOption('Closed');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await expect(operatorPage.getByText('Group created', { exact: true })).toBeVisible();
  // A group without components shows nothing.
  await expect(components.getByText('Europe')).toHaveCount(0);

  await operatorPage.getByRole('link', { name: 'Edit Zurich' }).click();
  await operatorPage.getByRole('combobox', { name: 'Group' }).selectOption('Europe');
  await operatorPage.getByRole('button', { name: 'Update', exact: true }).click();
  await expect(operatorPage.getByText('Component Updated', { exact: true })).toBeVisible();

  const summary = components.locator('summary');
  await expect(summary).toHaveText(/^Europe\d+\.\d+ % uptimePartial Outage$/);
  await expect(components.getByText('Zurich')).toBeHidden();
  await summary.click();
  await expect(components.getByText('Zurich')).toBeVisible();
  // The choice is applied before the first paint.
  await page.reload({ waitUntil: 'commit' });
  await expect(components.getByText('Zurich')).toBeVisible();

  await operatorPage.getByRole('button', { name: 'Delete Europe' }).click();
  await operatorPage.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(operatorPage.getByText('Group deleted', { exact: true })).toBeVisible();
  await expect(summary).toHaveCount(0);
  await expect(components.getByRole('heading', { level: 3 })).toHaveText(['Zurich', 'Website']);
});

test('an operator creates a group of components, and changes the status of both at once', async ({
  operatorPage,
  page,
  organisation,
}) => {
  await organisation.createComponent('Geneva');
  await organisation.createComponent('Zurich');
  await page.goto(organisation.statusPage);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  const summary = page.getByRole('region', { name: 'Components' }).locator('summary');

  await operatorPage.goto('/components');
  await operatorPage.getByRole('button', { name: 'New Group' }).click();
  const dialog = operatorPage.getByRole('dialog', { name: 'Create Group' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Europe');
  for (const name of ['Geneva', 'Zurich']) await dialog.getByRole('checkbox', { name }).check();
  await dialog.getByRole('button', { name: 'Create' }).click();
  await expect(operatorPage.getByText('Group created', { exact: true })).toBeVisible();
  await expect(summary).toContainText(/^Europe.*Operational$/);

  for (const name of ['Geneva', 'Zurich']) {
    await operatorPage.getByRole('checkbox', { name: `Select ${name}` }).check();
  }
  await operatorPage.getByRole('button', { name: 'Change Status', exact: true }).click();
  const status = operatorPage.getByRole('dialog', { name: 'Change the status of 2 components' });
  await status.getByText('Major Outage').click();
  await status.getByRole('button', { name: 'Change Status' }).click();
  await expect(operatorPage.getByText('Status changed', { exact: true })).toBeVisible();
  await expect(summary).toContainText(/^Europe.*Major Outage$/);
});

test('a setting’s change is seen live on the public page', async ({
  operatorPage,
  page,
  organisation,
}) => {
  await organisation.createComponent('Website');
  await page.goto(organisation.statusPage);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();

  await operatorPage.goto('/dashboard');
  await operatorPage
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: 'Settings' })
    .click();
  await operatorPage.getByRole('textbox', { name: 'Page title' }).fill('Acme Cloud');
  await operatorPage.getByRole('combobox', { name: 'Time zone' }).fill('Europe/Zurich');
  await operatorPage.getByRole('button', { name: 'Save' }).click();
  await expect(operatorPage.getByText('Settings saved', { exact: true })).toBeVisible();
  await expect(page.getByRole('heading', { level: 1, name: 'Acme Cloud' })).toBeVisible();
  await expect(page).toHaveTitle(/^Acme Cloud/);

  await operatorPage.reload();
  await expect(operatorPage.getByRole('combobox', { name: 'Time zone' })).toHaveValue(
    'Europe/Zurich',
  );
});

test('the buttons of a group and the names of the columns do not cover each other', async ({
  operatorPage: page,
  organisation,
}) => {
  await organisation.call('POST', '/component-group/create', { name: 'Europe' });
  await page.goto('/components');
  const table = page.getByRole('table', { name: 'Groups' });
  for (const width of [1280, 1024]) {
    await page.setViewportSize({ width, height: 900 });
    await expect(table.getByText('Europe')).toBeVisible();
    const boxes = await table
      .locator('button, tbody a')
      .evaluateAll((controls) => controls.map((control) => control.getBoundingClientRect()));
    const covered = boxes.filter((box, at) =>
      boxes
        .slice(at + 1)
        .some(
          (other) =>
            box.left < other.right &&
            other.left < box.right &&
            box.top < other.bottom &&
            other.top < box.bottom,
        ),
    );
    expect(covered).toEqual([]);
  }
});
