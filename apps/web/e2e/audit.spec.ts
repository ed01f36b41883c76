import { readFile } from 'node:fs/promises';
import type { Download, Page } from '@playwright/test';
import { accountOf, expect, test } from './fixtures';
import { Operator } from './operator';

const entry = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Audit log' }).getByRole('row').filter({ hasText: name });

const filter = (page: Page, label: string) =>
  page.getByRole('group', { name: 'Filter' }).getByLabel(label, { exact: true });

async function contentOf(download: Promise<Download>): Promise<string> {
  return readFile(await (await download).path(), 'utf8');
}

test('an admin changes things, finds the changes in the audit log, and downloads them', async ({
  operatorPage: page,
  organisation,
}) => {
  const { id } = await organisation.createComponent('Website', { description: 'The shop' });
  await organisation.call('PATCH', `/component/${id}`, {
    name: 'Website',
    status: 'MAJOR_OUTAGE',
    description: 'The shop',
  });
  const { id: other } = await organisation.createComponent('Database');
  await organisation.call('DELETE', `/component/${other}`);

  // The changes of one thing.
  await page.goto(`/components/component/edit/${id}`);
  await page.getByRole('link', { name: 'Audit Log', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Audit Log', level: 1 })).toBeVisible();
  await expect(entry(page, 'component.created')).toContainText('Website');
  await expect(entry(page, 'component.updated')).toContainText('Ada Lovelace');
  await expect(entry(page, 'Database')).toHaveCount(0);

  // The states before and after a change.
  await entry(page, 'component.updated')
    .getByRole('button', { name: /^Show details/ })
    .click();
  const changes = page.getByRole('table', { name: 'Changed fields' });
  const status = changes.getByRole('row').filter({ hasText: 'Status' });
  await expect(status.getByRole('cell').nth(0)).toContainText('Operational');
  await expect(status.getByRole('cell').nth(1)).toContainText('Major Outage');
  await expect(changes.getByRole('row').filter({ hasText: 'Description' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Show unchanged fields' }).click();
  await expect(changes.getByRole('row').filter({ hasText: 'Description' })).toBeVisible();

  // The filters by kind, person and day.
  await page.getByRole('button', { name: 'Clear' }).click();
  await filter(page, 'Action').selectOption('component.deleted');
  await expect(entry(page, 'component.deleted')).toContainText('Database');
  await expect(entry(page, 'component.created')).toHaveCount(0);
  await filter(page, 'Actor').selectOption('Ada Lovelace');
  await expect(entry(page, 'component.deleted')).toBeVisible();
  await filter(page, 'To').fill('2020-01-01');
  await filter(page, 'To').press('Enter');
  await expect(page.getByText('No entry matches the filter.')).toBeVisible();
  await filter(page, 'To').fill('');
  await filter(page, 'To').press('Enter');
  await expect(entry(page, 'component.deleted')).toBeVisible();

  // The downloads have the selection of the screen.
  const csv = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).click();
  const [header, ...lines] = (await contentOf(csv)).trim().split(/\r?\n/);
  expect(header).toContain('action');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('component.deleted');
  const jsonl = page.waitForEvent('download');
  await page.getByRole('button', { name: 'JSON Lines' }).click();
  const items = (await contentOf(jsonl)).trim().split('\n');
  expect(items).toHaveLength(1);
  expect(JSON.parse(items[0] ?? '')).toMatchObject({
    action: 'component.deleted',
    actor: { type: 'USER', name: 'Ada Lovelace' },
    target: { id: other, name: 'Database' },
    before: { name: 'Database' },
    after: null,
  });
});

test('an admin pages through the audit log', async ({ operatorPage: page, organisation }) => {
  for (let number = 1; number <= 55; number += 1) {
    await organisation.createComponent(`Component ${number}`);
  }
  await page.goto('/audit');
  await expect(entry(page, 'component.created')).toHaveCount(50);
  await expect(entry(page, 'Component 55')).toBeVisible();
  await expect(entry(page, 'organisation.created')).toHaveCount(0);
  await page.getByRole('button', { name: 'Show Older' }).click();
  await expect(entry(page, 'component.created')).toHaveCount(55);
  await expect(entry(page, 'organisation.created')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Show Older' })).toBeHidden();
});

for (const role of ['editor', 'viewer'] as const) {
  test(`${role === 'editor' ? 'an' : 'a'} ${role} sees no audit log and no link to it`, async ({
    browser,
    server,
    organisation,
    playwright,
  }) => {
    const { id } = await organisation.createComponent('Website');
    const account = accountOf(`Reader ${role}`);
    const request = await playwright.request.newContext({ baseURL: server.url });
    const reader = new Operator(account, request);
    await reader.signUp(server);
    await organisation.call('POST', `/identity/organisations/${organisation.id}/invitations`, {
      email: account.email,
      role,
    });
    await reader.accept(await server.mailedLink(account.email));
    await reader.bearer(organisation.id);
    const context = await browser.newContext({ baseURL: server.url });
    await reader.signIn(context);
    const page = await context.newPage();
    await page.goto(`/components/component/edit/${id}`);
    const heading = role === 'editor' ? 'Edit Component' : 'Component';
    await expect(page.getByRole('heading', { name: heading, exact: true })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Audit Log', exact: true })).toHaveCount(0);
    await page.goto('/settings');
    await expect(page.getByText(/^Only an admin of the organisation can change/)).toBeVisible();
    await expect(page.getByRole('link', { name: 'Audit Log' })).toHaveCount(0);
    await page.goto('/audit');
    await expect(page.getByText(/^Only an admin of the organisation can read/)).toBeVisible();
    await expect(page.getByRole('table')).toHaveCount(0);
    await context.close();
    await request.dispose();
  });
}

test('the fields of the audit log’s filter have room on narrow phones', async ({
  browser,
  operatorPage,
  server,
}) => {
  const storageState = await operatorPage.context().storageState();
  const phone = { isMobile: true, hasTouch: true, viewport: { width: 375, height: 812 } };
  const context = await browser.newContext({ baseURL: server.url, storageState, ...phone });
  const page = await context.newPage();
  await page.goto('/audit');
  await expect(filter(page, 'From')).toBeVisible();
  const boxOf = (label: string) =>
    filter(page, label).evaluate((field) => field.getBoundingClientRect());
  for (const width of [375, 360, 320]) {
    await page.setViewportSize({ width, height: 812 });
    const [who, from, to] = [await boxOf('Actor'), await boxOf('From'), await boxOf('To')];
    expect(to.right).toBeLessThanOrEqual(who.right);
    if (from.y === to.y) expect(from.right).toBeLessThan(to.left);
  }
  await context.close();
});
