import { expect, type Page } from '@playwright/test';

/** The scripts that a page has requested, except the inline ones. */
export function scriptsOf(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => new URL(name).pathname)
      .filter((path) => path.endsWith('.js')),
  );
}

/** Whether React has been requested. */
export async function hasReact(page: Page): Promise<boolean> {
  return (await scriptsOf(page)).some((path) => !path.includes('/starter-'));
}

/** Makes the status page load React, and waits until it has taken over. */
export async function loadReact(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Subscribe To Updates' });
  await button.focus();
  await expect(button).not.toHaveAttribute('aria-busy');
  await button.blur();
  expect(await hasReact(page)).toBe(true);
}

/** The files that the status page loads on demand. */
export const reactFiles = /\/assets\/(?!starter-)[^/]+\.js$/;
