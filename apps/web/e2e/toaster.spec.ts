import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';

/** Puts toasts on the screen as an operator gets them: by deleting components. */
async function deleteOne(desk: Page, name: string) {
  await desk.getByRole('button', { name: `Delete ${name}` }).click();
  await desk.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(desk.getByRole('alertdialog')).toBeHidden();
}

/** Where the toasts are, from the top down. */
async function boxesOf(desk: Page): Promise<DOMRect[]> {
  const boxes = await toasts(desk).evaluateAll((items) =>
    items.map((item) => item.getBoundingClientRect().toJSON() as DOMRect),
  );
  return boxes.sort((one, other) => one.y - other.y);
}

/** No toast leaves by itself while a test looks at it. */
async function openWithStoppedClock(desk: Page) {
  await desk.clock.install();
  await desk.goto('/components');
  await expect(desk.getByRole('button', { name: 'Delete One' })).toBeVisible();
  await desk.clock.pauseAt(Date.now() + 60_000);
}

const region = (desk: Page) => desk.getByRole('region', { name: 'Notifications (Alt+T)' });
const toasts = (desk: Page) => region(desk).getByRole('listitem');

test('toasts are as wide, as far apart and as many as they should be', async ({
  desk,
  organisation,
}) => {
  const names = ['One', 'Two', 'Three', 'Four'];
  for (const name of names) await organisation.createComponent(name);
  await openWithStoppedClock(desk);
  for (const name of names) await deleteOne(desk, name);
  await expect(toasts(desk)).toHaveCount(3);

  // They grow to their size as they come in.
  await expect
    .poll(async () => (await boxesOf(desk)).map(({ width }) => width))
    .toEqual([356, 356, 356]);
  const boxes = await boxesOf(desk);
  const gaps = boxes.slice(1).map((box, at) => box.top - (boxes[at]?.bottom ?? 0));
  expect(gaps.map((gap) => Math.round(gap))).toEqual([14, 14]);
  const { width, height } = desk.viewportSize() ?? { width: 0, height: 0 };
  const last = boxes.at(-1);
  expect(width - (last?.right ?? 0)).toBeLessThan(40);
  expect(height - (last?.bottom ?? 0)).toBeLessThan(40);

  await desk.keyboard.press('Alt+KeyT');
  await expect(region(desk)).toBeFocused();
  await desk.keyboard.press('Escape');
  await expect(region(desk)).not.toBeFocused();

  await desk.clock.runFor(4000);
  await expect(toasts(desk).first()).toHaveAttribute('data-leaving', 'true');
  const left = async () => {
    await desk.clock.runFor(200);
    return toasts(desk).count();
  };
  await expect.poll(left).toBe(0);
});

test('a toast is swiped away towards its corner, and stays when it is only nudged', async ({
  desk,
  organisation,
}) => {
  await organisation.createComponent('One');
  await openWithStoppedClock(desk);
  await deleteOne(desk, 'One');
  const toast = toasts(desk);
  await toast.hover();
  const box = await toast.boundingBox();
  const [x, y] = [(box?.x ?? 0) + 60, (box?.y ?? 0) + (box?.height ?? 0) / 2];

  await desk.mouse.move(x, y);
  await desk.mouse.down();
  await desk.mouse.move(x - 40, y);
  await desk.mouse.up();
  await expect(toast).toHaveAttribute('data-leaving', 'false');

  await desk.mouse.move(x, y);
  await desk.mouse.down();
  await desk.mouse.move(x + 20, y, { steps: 4 });
  await desk.mouse.up();
  await expect(toast).toHaveAttribute('data-leaving', 'true');
  await desk.clock.runFor(200);
  await expect(toast).toHaveCount(0);
});
