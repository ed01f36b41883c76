import type { Page } from '@playwright/test';
import { axe } from './axe';
import { expect, test } from './fixtures';
import { expectNothingMoved, painted, watchShifts } from './layout-shifts';
import { loadReact } from './loaded-scripts';
import type { Organisation } from './operator';

const hostile = '<img src=x onerror=alert(1)></script><b>&amp;{{7*7}}';

/** Everything a page can have on it. */
async function fill(organisation: Organisation) {
  const website = await organisation.createComponent('Website', {
    description: 'The shop\nand its till',
  });
  const api = await organisation.createComponent(hostile, { description: hostile });
  await organisation.createComponent('Mail', { status: 'DEGRADED' });
  const incident = (title: string) => ({
    title,
    description: 'Cards are declined.',
    status: 'INVESTIGATING',
    occuredAt: '2026-11-20T09:00:00.000Z',
    components: [
      { componentId: website.id, status: 'MAJOR_OUTAGE' },
      { componentId: api.id, status: 'PARTIAL_OUTAGE' },
    ],
  });
  await post(organisation, '/incident/create', {
    ...incident('Quiet'),
    components: [],
    status: 'RESOLVED',
  });
  const { id } = await post(organisation, '/incident/create', incident('Payments fail'));
  await post(organisation, `/incident/${id}/updates/create`, {
    status: 'IDENTIFIED',
    message: hostile,
  });
  const maintenance = (title: string, startAt: string, endAt: string | null) =>
    post(organisation, '/maintenance/create', {
      title,
      description: 'Writes pause.',
      startAt,
      endAt,
    });
  await maintenance('Upgrade', '2126-11-25T01:00:00.000Z', '2126-11-25T02:00:00.000Z');
  const running = await maintenance('Move', '2026-01-01T13:30:00.000Z', null);
  await post(organisation, `/maintenance/${running.id}/updates/create`, {
    status: 'MONITORING',
    message: 'Half of it is done.',
  });
}

/** Groups of each mode, one of them without a problem, and an incident of all their components. */
async function addGroups(organisation: Organisation) {
  const components: { componentId: string; status: string }[] = [];
  for (const [name, display] of [
    ['Asia', 'CLOSED'],
    ['Europe', 'OPEN_WHEN_AFFECTED'],
    ['America', 'OPEN'],
  ]) {
    const { id: groupId } = await post(organisation, '/component-group/create', {
      name,
      description: `Regions of ${name}`,
      display,
    });
    const status = name === 'America' ? 'OPERATIONAL' : 'PARTIAL_OUTAGE';
    for (const draft of [{ name: `${name} 1`, status }, { name: 'API' }, { name: 'Web' }]) {
      const { id } = await post(organisation, '/component/create', { ...draft, groupId });
      components.push({ componentId: id, status: draft.status ?? 'OPERATIONAL' });
    }
  }
  await post(organisation, '/incident/create', {
    title: 'Slow everywhere',
    description: 'We look into it.',
    status: 'INVESTIGATING',
    occuredAt: '2026-11-20T10:00:00.000Z',
    components,
  });
}

async function post(organisation: Organisation, path: string, body: object) {
  return organisation.call<{ id: string }>('POST', path, body);
}

test.describe('without script', () => {
  test.use({ javaScriptEnabled: false });

  test('the page shows everything, with the times in UTC', async ({ page, organisation }) => {
    await fill(organisation);
    await page.goto(organisation.statusPage);
    await expect(page.getByRole('heading', { level: 1, name: organisation.name })).toBeVisible();
    const banner = page.getByRole('region', { name: 'Current status' });
    await expect(banner).toContainText('Some systems are experiencing issues');
    await expect(banner).toContainText('3 of 3 components affected');

    const components = page.getByRole('region', { name: 'Components' }).getByRole('listitem');
    await expect(components).toHaveText([/Mail.*Degraded/, /{{7\*7}}.*Partial/, /Website.*Major/s]);
    await expect(page.getByText(hostile).first()).toBeVisible();
    await expect(page.locator('img')).toHaveCount(0);

    const incident = page.getByRole('article').filter({ hasText: 'Payments fail' });
    await expect(incident).toContainText('Cards are declined.');
    await expect(incident.getByRole('list', { name: /Timeline/ })).toContainText('Identified');
    await expect(incident.locator('time').first()).toHaveText(/^\w{3} \d\d, 20\d\d .* [AP]M$/);
    await expect(page.getByRole('article').filter({ hasText: 'Quiet' })).toContainText('Resolved');

    const running = page.getByRole('article').filter({ hasText: 'Move' });
    await expect(running).toContainText('In Progress');
    await expect(running).toContainText('Starts:Jan 01, 2026 01:30:00 PM');
    await expect(running).toContainText('Ends:---');
    await expect(running).toContainText('Half of it is done.');
    await expect(page.getByText('All times are in UTC')).toBeVisible();
  });

  test('what needs script is not offered, and a link leads to a plain form that subscribes', async ({
    page,
    organisation,
    consoleErrors,
  }) => {
    await page.goto(organisation.statusPage);
    await expect(page.getByRole('button')).toHaveCount(0);
    await page.getByRole('link', { name: 'Subscribe by mail' }).click();
    await page.getByRole('textbox', { name: 'Email' }).fill('eve@example.com');
    await page.getByRole('button', { name: 'Subscribe' }).click();
    await expect(page.getByRole('heading', { name: 'Check your mail' })).toBeVisible();
    await expect(page.getByRole('status')).toContainText('Verification email sent successfully');
    await page.getByRole('link', { name: 'Back to the status page' }).click();
    await expect(page).toHaveURL(organisation.statusPage);
    const subscribers = await organisation.call<{ email: string }[]>('GET', '/subscriber/list');
    expect(subscribers.map(({ email }) => email)).toEqual(['eve@example.com']);
    expect(consoleErrors).toEqual([]);
  });

  test('the links of a mail lead to plain forms that confirm and end the subscription', async ({
    page,
    organisation,
    server,
  }) => {
    const email = 'hal@example.com';
    const expectStatus = async (expected: string) => {
      const subscribers = await organisation.call<{ status: string }[]>('GET', '/subscriber/list');
      expect(subscribers.map(({ status }) => status)).toEqual([expected]);
    };
    await page.goto(`${organisation.statusPage}/subscribe`);
    await page.getByRole('textbox', { name: 'Email' }).fill(email);
    await page.getByRole('button', { name: 'Subscribe' }).click();
    await page.goto(await server.mailedLink(email, '/verify'));
    await expectStatus('PENDING');
    await page.getByRole('button', { name: 'Confirm Subscription' }).click();
    await expect(page.getByRole('heading', { name: 'Email Verified!' })).toBeVisible();
    await expect(page.getByRole('status')).toHaveText('Email verified successfully!');
    await expectStatus('SUBSCRIBED');
    await page.getByRole('link', { name: 'View Status Page' }).click();
    await expect(page).toHaveURL(organisation.statusPage);

    await page.goto(await server.mailedLink(email, '/unsubscribe'));
    await page.getByRole('button', { name: 'Unsubscribe' }).click();
    await expect(page.getByRole('heading', { name: 'Successfully Unsubscribed' })).toBeVisible();
    await expect(page.getByRole('status')).toHaveText('Successfully unsubscribed!');
    await expectStatus('UNSUBSCRIBED');
  });

  test('the plain form keeps what was typed when it is refused, and says why', async ({
    page,
    organisation,
    consoleErrors,
  }) => {
    await page.goto(`${organisation.statusPage}/subscribe`);
    const email = page.getByRole('textbox', { name: 'Email' });
    // Browsers accept this address, but the server does not.
    await email.evaluate((input: HTMLInputElement) => (input.type = 'text'));
    await email.fill('eve at example');
    await page.getByRole('button', { name: 'Subscribe' }).click();
    await expect(page.getByRole('alert')).toHaveText('Invalid email address');
    await expect(email).toHaveValue('eve at example');
    await expect(email).toHaveAccessibleDescription('Invalid email address');
    expect(consoleErrors.splice(0)).toEqual([expect.stringContaining('422')]);
  });

  test('an unknown organisation is not found, and the page helps on', async ({
    page,
    consoleErrors,
  }) => {
    const response = await page.goto('/status/nobody');
    expect(response?.status()).toBe(404);
    await expect(page.getByRole('heading', { name: 'There is no status page here' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Back to Home' })).toHaveAttribute('href', '/');
    expect(consoleErrors.splice(0)).toEqual([expect.stringContaining('404')]);
  });
});

test('a link preview shows whose page it is and how things stand', async ({
  page,
  organisation,
  server,
}) => {
  await fill(organisation);
  const html = await (await page.request.get(organisation.statusPage)).text();
  await page.goto(organisation.statusPage);
  const content = (name: string) =>
    page.locator(`meta[property="${name}"]`).getAttribute('content');
  expect(await content('og:title')).toBe(organisation.name);
  expect(await content('og:description')).toBe(
    'Some systems are experiencing issues. Payments fail (Identified).',
  );
  expect(await content('og:url')).toBe(`${server.url}${organisation.statusPage}`);
  expect(html).toContain(`<link rel="icon" href="/favicon-major.svg"`);
  const picture = await page.request.get((await content('og:image')) ?? '');
  expect(picture.headers()['content-type']).toBe('image/png');
  expect((await picture.body()).subarray(1, 4).toString()).toBe('PNG');
});

/** The page as lines, without the script's additions: the time zone and the distance of times. */
async function outline(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const unknown = 'time, noscript, [data-script], .live, main > div > p';
    const lines: string[] = [];
    const visit = (element: Element, depth: number) => {
      const classes = [...element.classList].filter((name) => !name.startsWith('lucide')).sort();
      const names = [...element.attributes].map(({ name }) => name);
      // The script adds a title to a time, and how far away it is.
      const added = element.matches('time') ? 'title' : null;
      const rest = names.filter((name) => name !== 'class' && name !== added).sort();
      const shared = rest.map((name) => `${name}=${element.getAttribute(name)}`);
      lines.push(
        `${' '.repeat(depth)}${element.tagName} .${classes.join('.')} ${shared.join(' ')}`,
      );
      if (element.matches(unknown)) return;
      for (const child of element.childNodes) {
        if (child instanceof Element && child.matches('.time-distance')) continue;
        if (child instanceof Element) visit(child, depth + 1);
        else if (child.textContent) lines.push(`${' '.repeat(depth + 1)}"${child.textContent}"`);
      }
    };
    const root = document.querySelector('#root > div');
    if (root) visit(root, 0);
    return lines;
  });
}

/** What the scripts write: times, how far away they are, the connection and the time zone. */
function texts(page: Page): Promise<string[]> {
  const written = page.locator('time, .time-distance, .live, .live + p');
  return written.evaluateAll((elements) => elements.map((element) => element.outerHTML));
}

test('the script takes over exactly what the server wrote', async ({
  page,
  organisation,
  consoleErrors,
}) => {
  await fill(organisation);
  await addGroups(organisation);
  for (const path of [organisation.statusPage, '/status/nobody']) {
    await page.route('**/assets/*.js', (route) => route.abort());
    await page.goto(path);
    const written = await outline(page);
    expect(written.length).toBeGreaterThan(10);
    if (path === organisation.statusPage) {
      expect(written.join('\n')).toMatch(/"9 components affected"[^]*"API \(Asia\)"/);
    }
    await page.unroute('**/assets/*.js');
    await page.goto(path);
    await expect(page.getByRole('button', { name: /Switch to .* theme/ })).toBeVisible();
    expect(await outline(page)).toEqual(written);
    if (path !== organisation.statusPage) continue;
    await expect(page.getByText('Live', { exact: true })).toBeVisible();
    const started = await texts(page);
    await loadReact(page);
    expect(await outline(page)).toEqual(written);
    expect(await texts(page)).toEqual(started);
  }
  onlyOfWhatWasKeptBack(consoleErrors);
});

/** The browser's messages about delayed scripts and pages that are not found. */
function onlyOfWhatWasKeptBack(consoleErrors: string[]) {
  const known = /net::ERR_FAILED|status of 404/;
  expect(consoleErrors.splice(0).filter((text) => !known.test(text))).toEqual([]);
}

for (const width of [320, 390, 768, 1280, 2560]) {
  test(`nothing shifts at ${width} pixels while the script takes over`, async ({
    page,
    organisation,
  }) => {
    await fill(organisation);
    await addGroups(organisation);
    await page.setViewportSize({ width, height: 900 });
    await watchShifts(page);
    // The server's page is painted before the script comes.
    let release = (): void => undefined;
    const kept = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/assets/*.js', async (route) => {
      await kept;
      await route.continue();
    });
    const loaded = page.goto(organisation.statusPage);
    await expect(page.getByText('All times are in UTC')).toBeVisible();
    const height = () => page.evaluate(() => document.documentElement.scrollHeight);
    await painted(page);
    const before = await height();
    // Shifts while the server's page was still loading are not caused by the script.
    await page.evaluate(() => window.shifts?.splice(0));
    release();
    await loaded;
    await expect(page.getByText('Live', { exact: true })).toBeVisible();
    await expectNothingMoved(page);
    await loadReact(page);
    await expectNothingMoved(page);
    expect(await height()).toBe(before);
  });
}

test('is accessible without its script', async ({ page, organisation, consoleErrors }) => {
  await fill(organisation);
  await addGroups(organisation);
  await page.route('**/assets/*.js', (route) => route.abort());
  await page.goto(organisation.statusPage);
  const { violations } = await axe(page).analyze();
  expect(violations).toEqual([]);
  onlyOfWhatWasKeptBack(consoleErrors);
});

test('it prints dark on white, from the dark theme too', async ({ page, organisation }) => {
  await fill(organisation);
  await page.goto(organisation.statusPage);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  // Without the event that a script could act on: what it looks like on paper is the style's alone.
  await page.emulateMedia({ media: 'print' });
  await expect(page.locator('html')).toHaveCSS('background-color', 'rgb(255, 255, 255)');
  await expect(page.getByRole('button', { name: 'Subscribe To Updates' })).toBeHidden();
  const { violations } = await axe(page).withRules('color-contrast').analyze();
  expect(violations).toEqual([]);
});
