import { axe } from './axe';
import { expect, test } from './fixtures';
import type { Organisation } from './operator';

interface Created {
  id: string;
  code: string;
}

const post = (organisation: Organisation, path: string, body: object) =>
  organisation.call<Created>('POST', path, body);

/** A time at midday of a day before today: periods from it end on the same day. */
const daysAgo = (days: number, minutes = 0) => {
  const now = new Date();
  return new Date(
    Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - days, 12, minutes),
  ).toISOString();
};

/** The start of a month, which is past on every day of it. */
const monthsAgo = (count: number) => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count, 1)).toISOString();
};

async function fill(organisation: Organisation) {
  const api = await organisation.createComponent('API');
  await organisation.createComponent('Website');
  const group = await post(organisation, '/component-group/create', { name: 'Core' });
  await organisation.call('PATCH', `/component/${api.id}`, { groupId: group.id, startDate: null });
  await post(organisation, `/component/${api.id}/history/create`, {
    status: 'PARTIAL_OUTAGE',
    startAt: daysAgo(40),
    endAt: daysAgo(40, 30),
  });
  const incident = (title: string, occuredAt: string) => ({
    title,
    description: 'Cards are declined.',
    status: 'RESOLVED',
    occuredAt,
  });
  await post(organisation, '/incident/create', incident('Slow searches', monthsAgo(1)));
  await post(organisation, '/incident/create', incident('Lost mails', monthsAgo(4)));
  const open = await post(organisation, '/incident/create', {
    ...incident('Payments fail', monthsAgo(0)),
    status: 'INVESTIGATING',
    components: [{ componentId: api.id, status: 'MAJOR_OUTAGE' }],
  });
  const maintenance = await post(organisation, '/maintenance/create', {
    title: 'Database upgrade',
    description: 'Writes pause.',
    startAt: monthsAgo(2),
    endAt: monthsAgo(2),
  });
  return { open, maintenance, api };
}

test.describe('without script', () => {
  test.use({ javaScriptEnabled: false });

  test('the history is read by month, filtered by component, and leads to each entry', async ({
    page,
    organisation,
  }) => {
    await fill(organisation);
    await page.goto(`${organisation.statusPage}/history`);
    await expect(page).toHaveTitle(`History - ${organisation.name}`);
    const entries = page.getByRole('listitem');
    await expect(entries).toHaveText([/Payments fail/, /Slow searches/, /Database upgrade/]);
    await expect(page.getByText('All times are in UTC', { exact: true })).toBeVisible();
    await expect(page.getByRole('button')).toHaveText(['Show']);

    await page.getByRole('link', { name: 'Older' }).click();
    await expect(entries).toHaveText([/Lost mails/]);
    await page.getByRole('link', { name: 'Newer' }).click();

    await expect(page.locator('optgroup[label=Core] option')).toHaveText(['API']);
    await page.getByRole('combobox', { name: 'Component' }).selectOption('API');
    await page.getByRole('button', { name: 'Show' }).click();
    await expect(entries).toHaveText([/Payments fail/]);
    await page.getByRole('link', { name: 'Payments fail' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Payments fail');
    await expect(page.getByRole('region', { name: 'Affected components' })).toContainText(
      'Major Outage',
    );

    await page.getByRole('link', { name: organisation.name }).click();
    await expect(page).toHaveURL(organisation.statusPage);
  });
});

for (const media of ['screen', 'print'] as const) {
  test.describe(`without script, on ${media}`, () => {
    test.use({ javaScriptEnabled: false });

    test('the pages are complete and nothing is cut', async ({ page, organisation }, testInfo) => {
      const { open, maintenance } = await fill(organisation);
      await page.emulateMedia({ media });
      for (const path of [
        '',
        '/history',
        '/uptime',
        `/incidents/${open.code}`,
        `/maintenances/${maintenance.code}`,
      ]) {
        await page.goto(organisation.statusPage + path);
        await expect(page.getByRole('heading', { level: 1 }), path).toHaveCount(1);
        await expect(page.getByRole('link', { name: 'Uptime', exact: true }).first()).toBeVisible();
        for (const width of [1280, 390]) {
          await page.setViewportSize({ width, height: 900 });
          const cut = await page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          );
          expect(cut, `${path} at ${width}`).toBeLessThanOrEqual(0);
          await page.screenshot({
            path: testInfo.outputPath(
              `${path === '' ? 'status' : path.split('/')[1]}-${width}.png`,
            ),
            fullPage: true,
          });
        }
      }
    });
  });
}

test.describe('without script', () => {
  test.use({ javaScriptEnabled: false });

  test('the uptime is read by month, and leads to what happened', async ({
    page,
    organisation,
  }) => {
    const { api } = await fill(organisation);
    await page.goto(organisation.statusPage);
    await page.getByRole('link', { name: 'Uptime', exact: true }).click();
    await expect(page).toHaveTitle(`Uptime - ${organisation.name}`);
    await expect(page.getByRole('heading', { level: 2 })).toHaveText(['Core', 'Other components']);
    await expect(page.getByRole('table')).toHaveCount(6);
    await expect(page.getByText('30 mins outage (partial)')).toBeVisible();
    await page.getByRole('combobox', { name: 'Component' }).selectOption('API');
    await page.getByRole('button', { name: 'Show' }).click();
    await expect(page).toHaveURL(`${organisation.statusPage}/uptime?component=${api.code}`);
    await expect(page.getByRole('table')).toHaveCount(12);
    await page
      .getByRole('listitem')
      .filter({ hasText: 'outage (partial)' })
      .getByRole('link')
      .click();
    await expect(page).toHaveURL(/history\?component=.*#\d{4}-\d{2}$/);
  });
});

test('a long name of a component makes no page wider', async ({ page, organisation }) => {
  const { code } = await organisation.createComponent('x'.repeat(200));
  for (const path of ['/history', '/uptime', `/history?component=${code}`]) {
    await page.goto(organisation.statusPage + path);
    await expect(page.getByRole('combobox', { name: 'Component' })).toBeVisible();
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 900 });
      const wide = await page.evaluate(() =>
        Math.max(
          document.documentElement.scrollWidth - document.documentElement.clientWidth,
          ...Array.from(document.querySelectorAll('main *, header *'), (element) =>
            Math.round(element.getBoundingClientRect().right - window.innerWidth),
          ),
        ),
      );
      expect(wide, `${path} at ${width}`).toBeLessThanOrEqual(0);
    }
  }
});

test('the filter waits for its button', async ({ page, organisation }) => {
  const { api } = await fill(organisation);
  await page.goto(`${organisation.statusPage}/history`);
  await expect(page.getByRole('button', { name: /Switch to/ })).toBeVisible();
  await page.getByRole('combobox', { name: 'Component' }).selectOption('API');
  await page.getByRole('combobox', { name: 'Component' }).press('Tab');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${organisation.statusPage}/history?component=${api.code}`);
});

test('a published review appears on the open page of its incident and disappears', async ({
  page,
  organisation,
}) => {
  const { open } = await fill(organisation);
  await organisation.call('PATCH', `/incident/${open.id}`, { status: 'RESOLVED' });
  await organisation.call('PUT', `/incident/${open.id}/review`, {
    body: '# Cause\n\nA **bad** deploy. <img src=x onerror=alert(1)>',
  });
  await page.goto(`${organisation.statusPage}/incidents/${open.code}`);
  await expect(page.getByRole('region', { name: 'Updates' })).toBeVisible();
  await expect(page.getByText('deploy')).toHaveCount(0);
  await organisation.call('POST', `/incident/${open.id}/review/publish`, { notify: false });
  const review = page.getByRole('region', { name: 'Review' });
  await expect(review).toContainText('A bad deploy.');
  await expect(review.getByRole('heading', { level: 3 })).toHaveText('Cause');
  await organisation.call('DELETE', `/incident/${open.id}/review`);
  await expect(review).toHaveCount(0);
});

test('the page of an open incident leads to the dialog that follows it', async ({
  page,
  organisation,
}) => {
  const { open } = await fill(organisation);
  await page.goto(`${organisation.statusPage}/incidents/${open.code}`);
  await page.getByRole('link', { name: 'Follow this incident' }).click();
  await expect(page.getByRole('dialog', { name: 'Follow This Incident' })).toBeVisible();
  await expect(page).toHaveURL(organisation.statusPage);
});

test('the page of an incident leads to the dialog that subscribes to everything', async ({
  page,
  organisation,
}) => {
  const { open } = await fill(organisation);
  await page.goto(`${organisation.statusPage}/incidents/${open.code}`);
  await page.getByRole('link', { name: 'Subscribe To Updates' }).click();
  await expect(page.getByRole('dialog', { name: 'Subscribe Via Email' })).toBeVisible();
  await expect(page).toHaveURL(organisation.statusPage);
});

test('an opened list of affected components stays open while the page changes', async ({
  page,
  organisation,
}) => {
  const components = [];
  for (let number = 1; number <= 9; number += 1) {
    const { id } = await organisation.createComponent(`Node ${number}`);
    components.push({ componentId: id, status: 'DEGRADED' });
  }
  const open = await post(organisation, '/incident/create', {
    title: 'Slow everywhere',
    description: 'We look into it.',
    status: 'INVESTIGATING',
    occuredAt: daysAgo(1),
    components,
  });
  await page.goto(`${organisation.statusPage}/incidents/${open.code}`);
  const node = page.getByRole('heading', { name: 'Node 9' });
  await expect(node).toBeHidden();
  await page.getByText('9 components affected').click();
  await expect(node).toBeVisible();
  await post(organisation, `/incident/${open.id}/updates/create`, {
    status: 'IDENTIFIED',
    message: 'The cause is known.',
  });
  await expect(page.getByText('The cause is known.', { exact: true })).toBeVisible();
  await expect(node).toBeVisible();
});

test('open calendars follow a status change', async ({ page, organisation }) => {
  const { api } = await fill(organisation);
  await page.goto(`${organisation.statusPage}/uptime?component=${api.code}`);
  await expect(page.getByText('30 mins outage (partial)')).toBeVisible();
  await post(organisation, `/component/${api.id}/history/create`, {
    status: 'DEGRADED',
    startAt: daysAgo(50),
    endAt: daysAgo(50, 61),
  });
  await expect(page.getByText('1 hr 1 min degraded')).toBeVisible();
});

test('a day of the bars leads to the history of its month', async ({ page, organisation }) => {
  await fill(organisation);
  await page.goto(organisation.statusPage);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  const bars = page.getByRole('listbox', { name: 'Uptime of API' });
  await bars.focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  const month = new Date().toISOString().slice(0, 7);
  await expect(page).toHaveURL(new RegExp(`/history\\?component=\\w{12}#${month}$`));
});

test('a new update appears on the open page of its incident', async ({
  page,
  organisation,
  consoleErrors,
}) => {
  const { open } = await fill(organisation);
  await page.goto(`${organisation.statusPage}/incidents/${open.code}`);
  await expect(page.getByText('No updates have been posted.')).toBeVisible();
  const began = page.locator('time').first();
  await expect(began).toHaveAttribute('title', /\(your time\)$/);
  await post(organisation, `/incident/${open.id}/updates/create`, {
    status: 'RESOLVED',
    message: 'It works again: https://x.example/why.',
  });
  const updates = page.getByRole('region', { name: 'Updates' });
  await expect(updates).toContainText('It works again');
  await expect(updates.getByRole('link')).toHaveAttribute('href', 'https://x.example/why');
  await expect(page.getByRole('status')).toHaveText(
    'New update: Resolved. It works again: https://x.example/why.',
  );
  await expect(page.locator('symbol#circle-check')).toBeAttached();
  await expect(began).toHaveAttribute('title', /\(your time\)$/);

  await organisation.call('DELETE', `/incident/${open.id}`);
  await expect(page.getByRole('heading', { name: 'There is no such page' })).toBeVisible();
  // The script's request, and the page that it reloads.
  expect(consoleErrors.splice(0)).toEqual([
    expect.stringContaining('404'),
    expect.stringContaining('404'),
  ]);
});

test('the theme is switched and kept', async ({ page, organisation }) => {
  await page.goto(`${organisation.statusPage}/history`);
  await page.getByRole('button', { name: 'Switch to light theme' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  await page.reload();
  await expect(page.getByRole('button', { name: 'Switch to dark theme' })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
});

for (const colorScheme of ['dark', 'light'] as const) {
  test(`the pages have no accessibility faults in the ${colorScheme} theme`, async ({
    page,
    organisation,
  }) => {
    const { open, maintenance } = await fill(organisation);
    await page.addInitScript((theme) => localStorage.setItem('allclear:theme', theme), colorScheme);
    for (const path of [
      'history',
      'uptime',
      `incidents/${open.code}`,
      `maintenances/${maintenance.code}`,
    ]) {
      await page.goto(`${organisation.statusPage}/${path}`);
      await expect(page.getByRole('button', { name: /Switch to/ })).toBeVisible();
      const { violations } = await axe(page).analyze();
      expect(violations, path).toEqual([]);
    }
  });
}

test('the status page leads to the history and to each entry', async ({ page, organisation }) => {
  const { open } = await fill(organisation);
  await page.goto(organisation.statusPage);
  await page.getByRole('link', { name: 'Payments fail' }).click();
  await expect(page).toHaveURL(`${organisation.statusPage}/incidents/${open.code}`);
  await page.goBack();
  await page.getByRole('link', { name: 'View history' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('History');
});
