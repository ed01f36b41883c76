import AxeBuilder from '@axe-core/playwright';
import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures';

async function subscribe(page: Page, statusPage: string, email: string) {
  await page.goto(statusPage);
  await page.getByRole('button', { name: 'Subscribe To Updates' }).click();
  const dialog = page.getByRole('dialog', { name: 'Subscribe Via Email' });
  await dialog.getByRole('textbox', { name: 'Email' }).fill(email);
  await dialog.getByRole('button', { name: 'Subscribe' }).click();
  await expect(page.getByText('Verification email sent successfully')).toBeVisible();
  await expect(dialog).toBeHidden();
}

async function expectAccessible(page: Page, part: string) {
  const { violations } = await new AxeBuilder({ page }).include(part).analyze();
  expect(violations).toEqual([]);
}

const rowOf = (operatorPage: Page, email: string): Locator =>
  operatorPage.getByRole('row').filter({ has: operatorPage.getByText(email, { exact: true }) });

test('a stranger subscribes, confirms the address and leaves again by the links in the mail', async ({
  page,
  operatorPage,
  organisation,
  server,
}) => {
  const email = 'Grace.Hopper+status@example.com';
  await subscribe(page, organisation.statusPage, email);
  await operatorPage.goto('/subscribers');
  const row = rowOf(operatorPage, email);
  await expect(row).toContainText(/Pending.*Not Verified/);

  const verification = await server.mailedLink(email, '/verify');
  const farewell = await server.mailedLink(email, '/unsubscribe');
  // A mail scanner opens links, which must neither confirm nor unsubscribe.
  for (const link of [verification, farewell]) {
    expect((await page.request.get(link)).status()).toBe(200);
  }
  await operatorPage.reload();
  await expect(row).toContainText(/Pending.*Not Verified/);

  await page.goto(verification);
  await expect(page.getByRole('heading', { name: 'Email Verified!' })).toBeVisible();
  await expect(page.getByText('Email verified successfully!')).toBeVisible();
  await operatorPage.reload();
  await expect(row).toContainText(/Subscribed.*Verified/);
  await expect(row).not.toContainText('Not Verified');

  await page.goto(farewell);
  await expect(page.getByRole('heading', { name: 'Successfully Unsubscribed' })).toBeVisible();
  await expect(page.getByText('Successfully unsubscribed!')).toBeVisible();
  await operatorPage.reload();
  await expect(row).toContainText('Unsubscribed');
  await page.getByRole('link', { name: 'Return Home' }).click();
  await expect(page).toHaveURL('/');
});

test('a link that somebody has changed says so, and does nothing', async ({
  page,
  operatorPage,
  organisation,
  server,
  consoleErrors,
}) => {
  const email = 'eve@example.com';
  await subscribe(page, organisation.statusPage, email);
  const link = await server.mailedLink(email, '/verify');
  await page.goto(link.replace(/(?<=verificationCode=).*/, 'wrong'));
  await expect(page.getByRole('heading', { name: 'Verification Failed' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Try Again' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Go Back' })).toHaveAttribute('href', '/');
  await operatorPage.goto('/subscribers');
  await expect(rowOf(operatorPage, email)).toContainText(/Pending.*Not Verified/);
  // The browser reports every rejected request.
  expect(consoleErrors.splice(0)).toEqual([expect.stringContaining('400')]);
});

test('an operator adds a subscriber, who confirms, and deletes them again', async ({
  page,
  operatorPage,
  server,
  consoleErrors,
}) => {
  const email = 'bob@exämple.com';
  await operatorPage.goto('/subscribers');
  await expect(operatorPage.getByText('No Data')).toBeVisible();
  const dialog = operatorPage.getByRole('dialog', { name: 'Add New Subscriber' });
  const add = async () => {
    await operatorPage.getByRole('button', { name: 'New Subscriber' }).click();
    await dialog.getByRole('textbox', { name: 'Email' }).fill(email);
    await dialog.getByRole('button', { name: 'Add Subscriber' }).click();
  };
  await add();
  await expect(operatorPage.getByText('Verification email sent successfully')).toBeVisible();
  const row = rowOf(operatorPage, email);
  await expect(row).toContainText(/Pending.*Not Verified/);

  await page.goto(await server.mailedLink('bob@xn--exmple-cua.com', '/verify'));
  await expect(page.getByText(`Updates will be mailed to ${email}.`)).toBeVisible();

  await add();
  await expect(dialog.getByText('This address is a subscriber already')).toBeVisible();
  expect(consoleErrors.splice(0)).toEqual([expect.stringContaining('409')]);
  await operatorPage.reload();
  await expect(row).toContainText('Subscribed');

  await operatorPage.getByRole('button', { name: `Delete ${email}` }).click();
  await operatorPage.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(operatorPage.getByText('No Data')).toBeVisible();
  await operatorPage.reload();
  await expect(operatorPage.getByText('No Data')).toBeVisible();
});

for (const width of [320, 1280]) {
  test(`the subscribers are accessible and fit ${width} pixels`, async ({
    operatorPage,
    organisation,
  }) => {
    for (const name of ['ann', 'a-rather-long-name-that-somebody-chose-for-a-mailbox']) {
      await organisation.call('POST', '/subscriber', { email: `${name}@${width}.example.com` });
    }
    await operatorPage.setViewportSize({ width, height: 800 });
    await operatorPage.goto('/subscribers');
    await expect(operatorPage.getByText(`ann@${width}.example.com`)).toBeVisible();
    await expectAccessible(operatorPage, 'main');
    const overhang = await operatorPage.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overhang).toBe(0);
    await operatorPage.getByRole('button', { name: 'New Subscriber' }).click();
    await expect(operatorPage.getByRole('textbox', { name: 'Email' })).toBeFocused();
    await expectAccessible(operatorPage, '[role=dialog]');
  });
}
