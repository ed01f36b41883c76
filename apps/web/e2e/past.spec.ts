import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import type { Organisation } from './operator';
import type { Server } from './server';

const hourMs = 3_600_000;
const daysAgo = (days: number) => Date.now() - days * 24 * hourMs;

/** A time as `<input type="datetime-local">` takes it. */
const local = (page: Page, instant: number) =>
  page.evaluate((at) => {
    const date = new Date(at);
    return new Date(at - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  }, instant);

/** Subscribes an address and verifies it. */
async function subscribe(page: Page, server: Server, organisation: Organisation, email: string) {
  await organisation.call('POST', '/subscriber', { email });
  await page.goto(await server.mailedLink(email, '/verify'));
  await expect(page.getByRole('heading', { name: 'Email Verified!' })).toBeVisible();
}

test('a past incident is recorded without a mail and counts in the history', async ({
  operatorPage,
  page,
  organisation,
  server,
}) => {
  const email = 'past@example.com';
  await subscribe(page, server, organisation, email);
  await organisation.createComponent('API');
  const occured = Math.floor(daysAgo(3) / hourMs) * hourMs;

  await operatorPage.goto('/incidents/incident/create');
  const notify = operatorPage.getByRole('checkbox', { name: 'Notify subscribers' });
  await expect(notify).toBeChecked();
  await operatorPage.getByRole('textbox', { name: 'Title' }).fill('Payments failed');
  await operatorPage.getByRole('textbox', { name: 'Description' }).fill('Cards were declined.');
  await operatorPage.getByText('Resolved', { exact: true }).click();
  await operatorPage.getByLabel('Occurred at').fill(await local(operatorPage, occured));
  const resolved = operatorPage.getByLabel('Resolved at');
  await resolved.fill(await local(operatorPage, occured - hourMs));
  await expect(notify).not.toBeChecked();
  await operatorPage.getByRole('button', { name: 'Add Component' }).click();
  await operatorPage.getByRole('combobox', { name: 'Component' }).selectOption('API');
  await operatorPage.getByRole('combobox', { name: 'Status' }).selectOption('Major Outage');
  await operatorPage.getByRole('button', { name: 'Create Incident' }).click();
  await expect(operatorPage.getByText('Resolution must not be before the incident')).toBeVisible();
  await resolved.fill(await local(operatorPage, occured + hourMs));
  await operatorPage.getByRole('button', { name: 'Create Incident' }).click();
  await expect(operatorPage.getByText('Incident Created')).toBeVisible();

  await operatorPage.getByRole('link', { name: 'Edit Payments failed' }).click();
  await operatorPage.getByRole('button', { name: 'Record Past Update' }).click();
  const dialog = operatorPage.getByRole('dialog', { name: 'Record Past Update' });
  await dialog.getByRole('textbox', { name: 'Message' }).fill('The bank is down.');
  await dialog.getByLabel('Displayed at').fill(await local(operatorPage, occured + hourMs / 2));
  await expect(dialog.getByRole('checkbox', { name: 'Notify subscribers' })).not.toBeChecked();
  await dialog.getByRole('button', { name: 'Record Update' }).click();
  await expect(operatorPage.getByText('Incident Update Created')).toBeVisible();

  await page.goto(organisation.statusPage);
  await expect(page.getByText('All Systems Operational')).toBeVisible();
  await page.getByRole('link', { name: 'Payments failed' }).click();
  await expect(page.getByRole('region', { name: 'Updates' })).toContainText('The bank is down.');

  // A mail of a later incident arrives after every mail of this one.
  await organisation.call('POST', '/incident/create', {
    title: 'Searches are slow',
    description: 'We look into it.',
  });
  const subjects = () => server.mailedSubjects(email);
  await expect.poll(subjects).toContainEqual(expect.stringContaining('Searches are slow'));
  expect(await subjects()).not.toContainEqual(expect.stringContaining('Payments failed'));
});

test('a review is written, previewed, published and mailed', async ({
  operatorPage,
  page,
  organisation,
  server,
  consoleErrors,
}) => {
  const email = 'review@example.com';
  await subscribe(page, server, organisation, email);
  const { id } = await organisation.call<{ id: string }>('POST', '/incident/create', {
    title: 'Payments fail',
    description: 'Cards are declined.',
    notify: false,
  });
  await operatorPage.goto(`/incidents/incident/edit/${id}`);
  await operatorPage.getByRole('tab', { name: 'Review' }).click();
  await operatorPage.getByRole('button', { name: 'Start from a Template' }).click();
  const text = operatorPage.getByRole('textbox', { name: 'Review' });
  await expect(text).toHaveValue(/^## What happened/);
  await text.fill(
    '## What happened\n\nA **bad** deploy.\n\n<img src=x onerror=alert(1)>\n\n[x](javascript:alert(1))',
  );
  await operatorPage.getByRole('button', { name: 'Preview' }).click();
  const preview = operatorPage.getByRole('region', { name: 'Preview' });
  await expect(preview.getByRole('heading', { name: 'What happened' })).toBeVisible();
  await expect(preview.locator('strong')).toHaveText('bad');
  await expect(preview.locator('img, [href^="javascript"]')).toHaveCount(0);
  await operatorPage.getByRole('button', { name: 'Save Draft' }).click();
  await expect(operatorPage.getByText('Review saved')).toBeVisible();

  const publish = operatorPage.getByRole('button', { name: 'Publish' });
  await expect(publish).toBeDisabled();
  await organisation.call('PATCH', `/incident/${id}`, { status: 'RESOLVED', notify: false });
  await expect(publish).toBeEnabled();
  await publish.click();
  const dialog = operatorPage.getByRole('dialog', { name: 'Publish Review' });
  await expect(dialog.getByRole('checkbox', { name: 'Notify subscribers' })).toBeChecked();
  await dialog.getByRole('button', { name: 'Publish' }).click();
  await expect(operatorPage.getByText('Review published')).toBeVisible();
  await expect(operatorPage.getByText('Published at')).toBeVisible();

  const review = await organisation.call<{ status: string; html: string }>(
    'GET',
    `/incident/${id}/review`,
  );
  expect(review.status).toBe('PUBLISHED');
  expect(review.html).toContain('<strong>bad</strong>');
  await expect
    .poll(() => server.mailedSubjects(email))
    .toContainEqual(expect.stringContaining('Payments fail'));

  // Another operator changes it.
  await operatorPage.getByRole('button', { name: 'Write' }).click();
  await organisation.call('PUT', `/incident/${id}/review`, { body: 'A good deploy.' });
  await expect(text).toHaveValue('A good deploy.');

  await operatorPage.getByRole('button', { name: 'Delete Review' }).click();
  await operatorPage.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(operatorPage.getByText('Review deleted')).toBeVisible();
  await expect(text).toHaveValue('');
  // The tab has found no review when it was opened, and after the deletion.
  await expect.poll(() => consoleErrors.length).toBeGreaterThan(1);
  await operatorPage.goto('/incidents');
  for (const error of consoleErrors.splice(0)) expect(error).toContain('404');
});

test('the bars of an open page move on at midnight', async ({ page, organisation }) => {
  await organisation.call('POST', '/component/create', { name: 'API', startDate: null });
  const midnight = new Date();
  midnight.setUTCHours(24, 0, 0, 0);
  const written = (instant: number) =>
    new Date(instant).toLocaleDateString('en-US', {
      year: 'numeric',
      month: 'short',
      day: 'numeric',
      timeZone: 'UTC',
    });
  await page.clock.install({ time: midnight.getTime() - 30_000 });
  // The server's clock is not faked.
  await page.route(`**/api/v1${organisation.statusPage}`, async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { data: object };
    const generatedAt = new Date(midnight.getTime() + 30_000).toISOString();
    await route.fulfill({ response, json: { ...body, data: { ...body.data, generatedAt } } });
  });
  await page.goto(organisation.statusPage);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  await page.getByRole('listbox', { name: 'Uptime of API' }).focus();
  const days = page.getByRole('option');
  await expect(days.last()).toContainText(written(midnight.getTime() - 1));

  await page.clock.runFor(60_000);
  await expect(days.last()).toContainText(written(midnight.getTime()));
  await expect(days.first()).toContainText(written(midnight.getTime() - 89 * 24 * hourMs));
});

test('a period is added, changed and deleted, and each change is undone', async ({
  operatorPage: page,
  organisation,
}) => {
  const { id } = await organisation.call<{ id: string }>('POST', '/component/create', {
    name: 'API',
    startDate: null,
  });
  const start = Math.floor(daysAgo(3) / hourMs) * hourMs;
  const periods = async () =>
    (
      await organisation.call<{ status: string; endAt: string }[]>(
        'GET',
        `/component/${id}/history`,
      )
    ).map(({ status, endAt }) => [status, Date.parse(endAt)]);
  const undo = async (change: string, undone = 'Change undone') => {
    const toast = page.getByRole('listitem').filter({ hasText: change });
    await toast.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByText(undone)).toBeVisible();
    // It stays while the pointer is on it, which depends on when the other one leaves.
    await page.mouse.move(0, 0);
    await page.getByText(undone).waitFor({ state: 'detached' });
  };
  const add = async () => {
    await page.getByRole('button', { name: 'Add Period' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add Period' });
    await dialog.getByLabel('Start').fill(await local(page, start));
    await dialog.getByLabel('End').fill(await local(page, start + hourMs));
    await dialog.getByRole('button', { name: 'Add' }).click();
    await expect(dialog).toBeHidden();
  };
  const outage = ['MAJOR_OUTAGE', start + hourMs];

  await page.goto(`/components/component/edit/${id}`);
  await page.getByRole('tab', { name: 'History' }).click();
  await add();
  expect(await periods()).toEqual([outage]);
  await undo('Period added');
  expect(await periods()).toEqual([]);

  await add();
  await page.getByRole('button', { name: /^Edit period of/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit Period' });
  await dialog.getByText('Degraded Performance').click();
  await dialog.getByLabel('End').fill(await local(page, start + 2 * hourMs));
  await dialog.getByRole('button', { name: 'Update' }).click();
  await expect(dialog).toBeHidden();
  expect(await periods()).toEqual([['DEGRADED', start + 2 * hourMs]]);
  await undo('Period changed');
  expect(await periods()).toEqual([outage]);

  await page.getByRole('button', { name: /^Delete period of/ }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('Period deleted')).toBeVisible();
  expect(await periods()).toEqual([]);
  await undo('Period deleted', 'Period added again');
  expect(await periods()).toEqual([outage]);
});

test('periods are rows of a table on a desktop, and their buttons are aligned on a phone too', async ({
  operatorPage: page,
  organisation,
}) => {
  const { id } = await organisation.call<{ id: string }>('POST', '/component/create', {
    name: 'API',
    startDate: null,
    status: 'DEGRADED',
  });
  const time = (instant: number) => new Date(instant).toISOString();
  await organisation.call('POST', `/component/${id}/history/create`, {
    status: 'MAJOR_OUTAGE',
    startAt: time(daysAgo(3)),
    endAt: time(daysAgo(2)),
  });

  await page.goto(`/components/component/edit/${id}`);
  await page.getByRole('tab', { name: 'History' }).click();
  const rows = page.getByRole('table', { name: 'History' }).locator('tbody tr');
  await expect(rows).toHaveCount(2);
  const edges = (name: RegExp) =>
    page
      .getByRole('button', { name })
      .evaluateAll((buttons) => [
        ...new Set(buttons.map((button) => button.getBoundingClientRect().left)),
      ]);

  await page.setViewportSize({ width: 1280, height: 900 });
  await expect(rows.first()).toHaveCSS('display', 'table-row');
  expect(await edges(/^Edit period of/)).toHaveLength(1);
  await page.setViewportSize({ width: 375, height: 812 });
  await expect(rows.first()).toHaveCSS('display', 'flex');
  expect(await edges(/^Edit period of/)).toHaveLength(1);
});
