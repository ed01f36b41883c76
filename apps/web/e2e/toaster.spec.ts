import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';

/** Shows toasts by deleting components. */
async function deleteOne(operatorPage: Page, name: string) {
  await operatorPage.getByRole('button', { name: `Delete ${name}` }).click();
  await operatorPage.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(operatorPage.getByRole('alertdialog')).toBeHidden();
}

/** The toasts from top to bottom. */
async function boxesOf(operatorPage: Page): Promise<DOMRect[]> {
  const boxes = await toasts(operatorPage).evaluateAll((items) =>
    items.map((item) => item.getBoundingClientRect().toJSON() as DOMRect),
  );
  return boxes.sort((one, other) => one.y - other.y);
}

/** Keeps the toasts on screen during a test. */
async function openWithStoppedClock(operatorPage: Page) {
  await operatorPage.clock.install();
  await operatorPage.goto('/components');
  await expect(operatorPage.getByRole('button', { name: 'Delete One' })).toBeVisible();
  await operatorPage.clock.pauseAt(Date.now() + 60_000);
}

const region = (operatorPage: Page) =>
  operatorPage.getByRole('region', { name: 'Notifications (Alt+T)' });
const toasts = (operatorPage: Page) => region(operatorPage).getByRole('listitem');

test('toasts are as wide, as far apart and as many as they should be', async ({
  operatorPage,
  organisation,
}) => {
  const names = ['One', 'Two', 'Three', 'Four'];
  for (const name of names) await organisation.createComponent(name);
  await openWithStoppedClock(operatorPage);
  for (const name of names) await deleteOne(operatorPage, name);
  await expect(toasts(operatorPage)).toHaveCount(3);

  // Toasts are scaled while they appear.
  await expect
    .poll(async () => (await boxesOf(operatorPage)).map(({ width }) => width))
    .toEqual([356, 356, 356]);
  const boxes = await boxesOf(operatorPage);
  const gaps = boxes.slice(1).map((box, at) => box.top - (boxes[at]?.bottom ?? 0));
  expect(gaps.map((gap) => Math.round(gap))).toEqual([14, 14]);
  const { width, height } = operatorPage.viewportSize() ?? { width: 0, height: 0 };
  const last = boxes.at(-1);
  expect(width - (last?.right ?? 0)).toBeLessThan(40);
  expect(height - (last?.bottom ?? 0)).toBeLessThan(40);

  await operatorPage.keyboard.press('Alt+KeyT');
  await expect(region(operatorPage)).toBeFocused();
  await operatorPage.keyboard.press('Escape');
  await expect(region(operatorPage)).not.toBeFocused();

  await operatorPage.clock.runFor(4000);
  await expect(toasts(operatorPage).first()).toHaveAttribute('data-leaving', 'true');
  const left = async () => {
    await operatorPage.clock.runFor(200);
    return toasts(operatorPage).count();
  };
  await expect.poll(left).toBe(0);
});

test('a toast that is dismissed by the keyboard returns the focus, and the next one leaves in time', async ({
  operatorPage,
  organisation,
}) => {
  for (const name of ['One', 'Two']) await organisation.createComponent(name);
  await openWithStoppedClock(operatorPage);
  for (const name of ['One', 'Two']) await deleteOne(operatorPage, name);
  await expect(toasts(operatorPage)).toHaveCount(2);
  // The closed dialogs move the focus by a timer.
  await operatorPage.clock.runFor(1);
  const link = operatorPage.getByRole('link', { name: 'Incidents' });
  await link.focus();
  await operatorPage.keyboard.press('Alt+KeyT');
  await operatorPage.keyboard.press('Tab');
  await operatorPage.keyboard.press('Enter');
  await operatorPage.clock.runFor(200);
  await expect(toasts(operatorPage)).toHaveCount(1);
  await expect(link).toBeFocused();
  await operatorPage.clock.runFor(4000);
  await expect(toasts(operatorPage)).toHaveAttribute('data-leaving', 'true');
});
