import { expect, type Page } from '@playwright/test';
import type { Account } from './operator';

export const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });
export const userMenu = (page: Page, { name }: Account) =>
  page.getByRole('button', { name: `Account of ${name}` });

export async function openProfile(page: Page, account: Account, tab: string) {
  await userMenu(page, account).click();
  await page.getByRole('menuitem', { name: 'Profile' }).click();
  await page.getByRole('tab', { name: tab }).click();
}

export async function signIn(page: Page, { email, password }: Account) {
  await page.goto('/login');
  await field(page, 'Email').fill(email);
  await field(page, 'Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

export async function signOut(page: Page, account: Account) {
  await userMenu(page, account).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(userMenu(page, account)).toBeHidden();
}
