import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import type { Organisation } from './operator';

const handle = (page: Page, name: string) =>
  page.getByRole('button', { name: `Move ${name}`, exact: true });

/** Waits until the screen has these names, in order. */
const expectOrder = (page: Page, ...names: string[]) =>
  expect
    .poll(() =>
      page
        .getByRole('group', { name: 'Order' })
        .getByRole('button', { name: /^Move / })
        .evaluateAll((handles) =>
          handles.map((each) => each.getAttribute('aria-label')?.replace('Move ', '')),
        ),
    )
    .toEqual(names);

/** Waits for what is announced to screen readers. */
const expectAnnouncement = (page: Page, text: string, options: { timeout?: number } = {}) =>
  expect(page.getByRole('status').filter({ hasText: text })).toHaveText(text, options);

/**
 * Makes the first step after a pick-up. The library announces the pick-up a moment before it takes
 * the next key.
 */
const takeFirstStep = (page: Page, key: string, announcement: string) =>
  expect(async () => {
    await page.keyboard.press(key);
    await expectAnnouncement(page, announcement, { timeout: 2_000 });
  }).toPass();

const save = (page: Page) => page.getByRole('button', { name: 'Save Order' });

/** Creates a page with API and CDN in Platform, and Website without a group. */
async function createPage(organisation: Organisation) {
  const group = await organisation.call<{ id: string }>('POST', '/component-group/create', {
    name: 'Platform',
  });
  const api = await organisation.createComponent('API');
  const cdn = await organisation.createComponent('CDN');
  const website = await organisation.createComponent('Website');
  const ids = { group: group.id, api: api.id, cdn: cdn.id, website: website.id };
  await reorder(organisation, [
    { id: ids.group, components: [ids.api, ids.cdn] },
    { id: null, components: [ids.website] },
  ]);
  return ids;
}

async function reorder(
  organisation: Organisation,
  groups: { id: string | null; components: string[] }[],
) {
  await organisation.call('POST', '/component/order', { groups });
}

async function open(page: Page) {
  await page.goto('/components');
  await page.getByRole('link', { name: 'Reorder' }).click();
  await expectOrder(page, 'Platform', 'API', 'CDN', 'No group', 'Website');
}

test('an operator reorders the page by keyboard, and a visitor sees it', async ({
  operatorPage,
  page,
  organisation,
}) => {
  await createPage(organisation);
  await page.goto(organisation.statusPage);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  const components = page.getByRole('region', { name: 'Components' });
  await expect(components).toContainText(/Platform.*API.*CDN.*Website/s);

  await open(operatorPage);
  await expect(save(operatorPage)).toBeDisabled();
  await handle(operatorPage, 'API').focus();
  await operatorPage.keyboard.press('Space');
  await expectAnnouncement(operatorPage, 'API is picked up, 1 of 2 in Platform');
  await takeFirstStep(operatorPage, 'ArrowDown', 'API is now 2 of 2 in Platform');
  await operatorPage.keyboard.press('ArrowDown');
  await expectAnnouncement(operatorPage, 'API is now 1 of 2 without a group');
  await operatorPage.keyboard.press('Space');
  await expectAnnouncement(operatorPage, 'API is dropped, 1 of 2 without a group');
  await expectOrder(operatorPage, 'Platform', 'CDN', 'No group', 'API', 'Website');
  await expect(handle(operatorPage, 'API')).toBeFocused();

  await handle(operatorPage, 'No group').focus();
  await operatorPage.keyboard.press('Space');
  await expectAnnouncement(operatorPage, 'No group is picked up, 2 of 2 on the page');
  await takeFirstStep(operatorPage, 'ArrowUp', 'No group is now 1 of 2 on the page');
  await operatorPage.keyboard.press('Space');
  await expectOrder(operatorPage, 'No group', 'API', 'Website', 'Platform', 'CDN');
  await expect(components).toContainText(/Platform.*API.*CDN.*Website/s);

  await save(operatorPage).click();
  await expect(operatorPage.getByText('Order saved', { exact: true })).toBeVisible();
  await expect(operatorPage).toHaveURL('/components');
  await expect(components).toContainText(/API.*Website.*Platform.*CDN/s);
});

test('an operator drags a component into another group, and sees the order of somebody else', async ({
  operatorPage,
  organisation,
  consoleErrors,
}) => {
  const { group, api, cdn, website } = await createPage(organisation);
  await open(operatorPage);
  const [from, to] = await Promise.all(
    ['Website', 'CDN'].map((name) => handle(operatorPage, name).boundingBox()),
  );
  if (!from || !to) throw new Error('The handles are not visible');
  await operatorPage.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await operatorPage.mouse.down();
  await operatorPage.mouse.move(to.x + to.width / 2, to.y, { steps: 8 });
  await expectAnnouncement(operatorPage, 'Website is now 2 of 3 in Platform');
  await operatorPage.mouse.up();
  await expectOrder(operatorPage, 'Platform', 'API', 'Website', 'CDN', 'No group');

  await reorder(organisation, [
    { id: null, components: [website, api] },
    { id: group, components: [cdn] },
  ]);
  await save(operatorPage).click();
  await expect(
    operatorPage.getByText(
      'The order has changed since you opened it. The page now shows the new order with your moves: check it and save again.',
    ),
  ).toBeVisible();
  await expectOrder(operatorPage, 'No group', 'API', 'Platform', 'Website', 'CDN');
  expect(consoleErrors.splice(0)).toEqual([expect.stringContaining('412')]);
  await save(operatorPage).click();
  await expect(operatorPage.getByText('Order saved', { exact: true })).toBeVisible();
  await expect(operatorPage).toHaveURL('/components');

  await operatorPage.getByRole('link', { name: 'Reorder' }).click();
  await expectOrder(operatorPage, 'No group', 'API', 'Platform', 'Website', 'CDN');
  await reorder(organisation, [
    { id: group, components: [cdn, api] },
    { id: null, components: [website] },
  ]);
  await expectOrder(operatorPage, 'Platform', 'CDN', 'API', 'No group', 'Website');
});
