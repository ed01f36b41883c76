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

const rowOf = (desk: Page, email: string): Locator =>
  desk.getByRole('row').filter({ has: desk.getByText(email, { exact: true }) });

test('a stranger subscribes, confirms the address and leaves again by the links in the mail', async ({
  page,
  desk,
  organisation,
  server,
}) => {
  const email = 'Grace.Hopper+status@example.com';
  await subscribe(page, organisation.statusPage, email);
  await desk.goto('/subscribers');
  const row = rowOf(desk, email);
  await expect(row).toContainText(/Pending.*Not Verified/);

  const verification = await server.mailedLink(email, '/verify');
  const farewell = await server.mailedLink(email, '/unsubscribe');
  // As a mail scanner does, which must not confirm in somebody's name, nor leave.
  for (const link of [verification, farewell]) {
    expect((await page.request.get(link)).status()).toBe(200);
  }
  await desk.reload();
  await expect(row).toContainText(/Pending.*Not Verified/);

  await page.goto(verification);
  await expect(page.getByRole('heading', { name: 'Email Verified!' })).toBeVisible();
  await expect(page.getByText('Email verified successfully!')).toBeVisible();
  await desk.reload();
  await expect(row).toContainText(/Subscribed.*Verified/);
  await expect(row).not.toContainText('Not Verified');

  await page.goto(farewell);
  await expect(page.getByRole('heading', { name: 'Successfully Unsubscribed' })).toBeVisible();
  await expect(page.getByText('Successfully unsubscribed!')).toBeVisible();
  await desk.reload();
  await expect(row).toContainText('Unsubscribed');
  await page.getByRole('link', { name: 'Return Home' }).click();
  await expect(page).toHaveURL('/');
});

test('a link that somebody has changed says so, and does nothing', async ({
  page,
  desk,
  organisation,
  server,
  complaints,
}) => {
  const email = 'eve@example.com';
  await subscribe(page, organisation.statusPage, email);
  const link = await server.mailedLink(email, '/verify');
  await page.goto(link.replace(/(?<=verificationCode=).*/, 'wrong'));
  await expect(page.getByRole('heading', { name: 'Verification Failed' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Try Again' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Go Back' })).toHaveAttribute('href', '/');
  await desk.goto('/subscribers');
  await expect(rowOf(desk, email)).toContainText(/Pending.*Not Verified/);
  // The browser tells of every call that is refused.
  expect(complaints.splice(0)).toEqual([expect.stringContaining('400')]);
});

test('an operator adds a subscriber, who confirms, and deletes them again', async ({
  page,
  desk,
  server,
  complaints,
}) => {
  const email = 'bob@exämple.com';
  await desk.goto('/subscribers');
  await expect(desk.getByText('No Data')).toBeVisible();
  const dialog = desk.getByRole('dialog', { name: 'Add New Subscriber' });
  const add = async () => {
    await desk.getByRole('button', { name: 'New Subscriber' }).click();
    await dialog.getByRole('textbox', { name: 'Email' }).fill(email);
    await dialog.getByRole('button', { name: 'Add Subscriber' }).click();
  };
  await add();
  await expect(desk.getByText('Verification email sent successfully')).toBeVisible();
  const row = rowOf(desk, email);
  await expect(row).toContainText(/Pending.*Not Verified/);

  await page.goto(await server.mailedLink('bob@xn--exmple-cua.com', '/verify'));
  await expect(page.getByText(`Updates will be mailed to ${email}.`)).toBeVisible();

  await add();
  await expect(dialog.getByText('This address is a subscriber already')).toBeVisible();
  expect(complaints.splice(0)).toEqual([expect.stringContaining('409')]);
  await desk.reload();
  await expect(row).toContainText('Subscribed');

  await desk.getByRole('button', { name: `Delete ${email}` }).click();
  await desk.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(desk.getByText('No Data')).toBeVisible();
  await desk.reload();
  await expect(desk.getByText('No Data')).toBeVisible();
});

for (const width of [320, 1280]) {
  test(`the subscribers are accessible and fit ${width} pixels`, async ({ desk, organisation }) => {
    for (const name of ['ann', 'a-rather-long-name-that-somebody-chose-for-a-mailbox']) {
      await organisation.call('POST', '/subscriber', { email: `${name}@${width}.example.com` });
    }
    await desk.setViewportSize({ width, height: 800 });
    await desk.goto('/subscribers');
    await expect(desk.getByText(`ann@${width}.example.com`)).toBeVisible();
    await expectAccessible(desk, 'main');
    const overhang = await desk.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overhang).toBe(0);
    await desk.getByRole('button', { name: 'New Subscriber' }).click();
    await expect(desk.getByRole('textbox', { name: 'Email' })).toBeFocused();
    await expectAccessible(desk, '[role=dialog]');
  });
}
