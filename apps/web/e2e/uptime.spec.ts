import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';

const bars = (page: Page) => page.getByRole('listbox', { name: 'Uptime of API' });
const components = (page: Page) => page.getByRole('region', { name: 'Components' });

/** Midnight of the day before yesterday in UTC, and an hour of that day, as RFC 3339. */
function hourOfPastDay(hour: number): string {
  const day = new Date();
  day.setUTCDate(day.getUTCDate() - 2);
  day.setUTCHours(hour, 0, 0, 0);
  return day.toISOString();
}

test('figures on an open page follow the history that an operator corrects', async ({
  operatorPage,
  page,
  organisation,
  consoleErrors,
}) => {
  const { id } = await organisation.call<{ id: string }>('POST', '/component/create', {
    name: 'API',
    startDate: null,
  });
  await page.goto(organisation.statusPage);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  await expect(components(page)).toContainText('100.0 % uptime');

  await operatorPage.goto(`/components/component/edit/${id}`);
  await operatorPage.getByRole('tab', { name: 'History' }).click();
  await expect(operatorPage.getByText('No Data')).toBeVisible();
  await operatorPage.getByRole('button', { name: 'Add Period' }).click();
  const dialog = operatorPage.getByRole('dialog', { name: 'Add Period' });
  const local = (hour: number) =>
    operatorPage.evaluate((instant) => {
      const date = new Date(instant);
      date.setMinutes(date.getMinutes() - date.getTimezoneOffset());
      return date.toISOString().slice(0, 16);
    }, hourOfPastDay(hour));
  await dialog.getByLabel('Start').fill(await local(10));
  await dialog.getByLabel('End').fill(await local(9));
  await dialog.getByRole('button', { name: 'Add' }).click();
  await expect(dialog.getByText('End must be after start')).toBeVisible();
  await dialog.getByLabel('End').fill(await local(11));
  await dialog.getByRole('button', { name: 'Add' }).click();
  await expect(operatorPage.getByText('Period added')).toBeVisible();
  await expect(components(page)).toContainText('99.95 % uptime');
  await expect(bars(page)).toContainText('1 hr outage (major)');

  await operatorPage.getByRole('button', { name: /^Delete period of/ }).click();
  await operatorPage.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(operatorPage.getByText('Period deleted')).toBeVisible();
  await expect(components(page)).toContainText('100.0 % uptime');
  const deleted = operatorPage.getByRole('listitem').filter({ hasText: 'Period deleted' });
  await deleted.getByRole('button', { name: 'Undo' }).click();
  await expect(operatorPage.getByText('Period added again')).toBeVisible();
  await expect(components(page)).toContainText('99.95 % uptime');
  expect(consoleErrors.splice(0)).toEqual([expect.stringContaining('422')]);
});

test('bars are read by keyboard and by pointer', async ({ page, organisation }) => {
  const { id } = await organisation.call<{ id: string }>('POST', '/component/create', {
    name: 'API',
    startDate: null,
  });
  await organisation.call('POST', `/component/${id}/history/create`, {
    status: 'PARTIAL_OUTAGE',
    startAt: hourOfPastDay(1),
    endAt: hourOfPastDay(3),
  });
  await page.goto(organisation.statusPage);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  await bars(page).focus();
  const tip = page.locator('.uptime-tip');
  await expect(tip).toContainText('No downtime recorded');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await expect(tip).toContainText('2 hrs outage (partial)');
  await expect(page.getByRole('option', { selected: true })).toContainText(
    '2 hrs outage (partial)',
  );
  await page.keyboard.press('Escape');
  await expect(tip).toBeHidden();
  await bars(page).blur();
  const box = await bars(page).boundingBox();
  if (!box) throw new Error('the bars are not shown');
  await page.mouse.move(box.x + box.width - 1, box.y + 10);
  await expect(tip).toContainText('No downtime recorded');
  await tip.hover();
  await expect(tip).toContainText('No downtime recorded');
  await page.keyboard.press('Escape');
  await expect(tip).toBeHidden();
  await page.mouse.move(0, 0);

  for (const [width, days] of [
    [1280, 90],
    [700, 60],
    [400, 30],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await bars(page).blur();
    await bars(page).focus();
    await page.keyboard.press('Home');
    const first = await page.getByRole('option', { selected: true }).textContent();
    const selected = new Date(`${first?.split(':')[0]} UTC`).getTime();
    const today = new Date(new Date().toISOString().slice(0, 10)).getTime();
    expect((today - selected) / 86_400_000).toBe(days - 1);
  }
});
