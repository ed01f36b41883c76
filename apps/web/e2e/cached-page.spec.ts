import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import type { Organisation } from './operator';

/** Reports an incident. */
async function report(organisation: Organisation): Promise<{ id: string; code: string }> {
  const component = await organisation.createComponent('Checkout');
  return organisation.call('POST', '/incident/create', {
    title: 'Payments fail',
    description: 'Cards are declined.',
    status: 'INVESTIGATING',
    occuredAt: new Date().toISOString(),
    components: [{ componentId: component.id, status: 'MAJOR_OUTAGE' }],
  });
}

/** A cache that sends its present copy of a page from now on. */
async function cache(page: Page, path: string): Promise<void> {
  const copy = await page.request.get(path);
  await expect(copy).toBeOK();
  const [body, headers] = [await copy.body(), copy.headers()];
  await page.route(
    (url) => url.pathname === path && url.search === '',
    (route) => route.fulfill({ body, headers: withoutCoding(headers) }),
  );
}

/** The body is decoded. */
function withoutCoding(headers: Record<string, string>): Record<string, string> {
  const named = Object.entries(headers);
  return Object.fromEntries(named.filter(([name]) => !/^content-(encoding|length)$/.test(name)));
}

/** Within a second, on a machine with nothing else to do. */
async function expectSoon(page: Page, text: string): Promise<void> {
  await expect(page.getByText(text).first()).toBeVisible({ timeout: 5000 });
}

for (const [kind, below] of [
  ['status page', ''],
  ['history', '/history'],
  ['banner', '/embed'],
] as const) {
  test(`a ${kind} from a cache of minutes ago is live at once`, async ({ page, organisation }) => {
    const path = `${organisation.statusPage}${below}`;
    await cache(page, path);
    await report(organisation);
    await page.goto(path);
    await expectSoon(page, 'Payments fail');
  });
}

test('a page of an incident from a cache of minutes ago is live at once', async ({
  page,
  organisation,
}) => {
  const { id, code } = await report(organisation);
  const path = `${organisation.statusPage}/incidents/${code}`;
  await cache(page, path);
  await organisation.call('POST', `/incident/${id}/updates/create`, {
    status: 'RESOLVED',
    message: 'Cards work again.',
  });
  await page.goto(path);
  await expectSoon(page, 'Cards work again.');
});
