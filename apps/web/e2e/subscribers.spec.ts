import type { Locator, Page } from '@playwright/test';
import { axe } from './axe';
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
  const { violations } = await axe(page).include(part).analyze();
  expect(violations).toEqual([]);
}

const rowOf = (operatorPage: Page, email: string): Locator =>
  operatorPage.getByRole('row').filter({ has: operatorPage.getByText(email, { exact: true }) });

test('a visitor subscribes, confirms the address and unsubscribes by the links in the mail', async ({
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
