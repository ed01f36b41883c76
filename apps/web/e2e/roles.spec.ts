import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { accountOf, expect, test as base } from './fixtures';
import { Operator, type Organisation } from './operator';

interface Created {
  id: string;
}

type Role = 'viewer' | 'editor';

interface Readers {
  /** A page of a member with this role. */
  memberPage: (role: Role) => Promise<Page>;
}

const test = base.extend<Readers>({
  memberPage: async ({ browser, server, organisation, playwright }, use) => {
    const opened: (() => Promise<void>)[] = [];
    await use(async (role) => {
      const account = accountOf(`Member ${role} ${organisation.name}`);
      const request = await playwright.request.newContext({ baseURL: server.url });
      const member = new Operator(account, request);
      await member.signUp(server);
      await organisation.call('POST', `/identity/organisations/${organisation.id}/invitations`, {
        email: account.email,
        role,
      });
      await member.accept(await server.mailedLink(account.email));
      await member.bearer(organisation.id);
      const context = await browser.newContext({ baseURL: server.url });
      await member.signIn(context);
      opened.push(async () => {
        await context.close();
        await request.dispose();
      });
      return context.newPage();
    });
    for (const close of opened) await close();
  },
});

/** Paths that need no membership or redirect members. The paths below them do so, too. */
const notOfMembers = [
  '/login',
  '/signed-in',
  '/verify',
  '/unsubscribe',
  '/subscription',
  '/onboarding',
  '/waitlist',
  '/docs',
  '/about',
  '/blog',
  '/careers',
  '/legal',
];

/** The screens of an organisation, as the table of routes writes them. */
const screens = readFileSync(new URL('../src/routes.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .filter((path) => path !== '/')
  .filter((path) => !notOfMembers.some((other) => path === other || path.startsWith(`${other}/`)));

/** One thing of each kind; returns the addresses of all screens. */
async function fill(organisation: Organisation): Promise<string[]> {
  const { id: component } = await organisation.createComponent('Website');
  await organisation.call('POST', '/component-group/create', { name: 'Europe' });
  await organisation.call('POST', `/component/${component}/history/create`, {
    status: 'DEGRADED',
    startAt: '2026-01-01T10:00:00Z',
    endAt: '2026-01-01T11:00:00Z',
  });
  const { id: incident } = await organisation.call<Created>('POST', '/incident/create', {
    title: 'Payments fail',
    description: 'Cards are declined.',
    status: 'INVESTIGATING',
    occuredAt: new Date().toISOString(),
    components: [{ componentId: component, status: 'DEGRADED' }],
  });
  const update = { status: 'IDENTIFIED', message: 'A provider is down.' };
  await organisation.call('POST', `/incident/${incident}/updates/create`, update);
  await organisation.call('PUT', `/incident/${incident}/review`, { body: 'Why it failed' });
  const { id: maintenance } = await organisation.call<Created>('POST', '/maintenance/create', {
    title: 'Database upgrade',
    description: 'Writes pause.',
    status: 'SCHEDULED',
    startAt: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await organisation.call('POST', `/maintenance/${maintenance}/updates/create`, update);
  await organisation.call('POST', '/subscriber', { email: 'reader@example.com' });
  const ids: Record<string, string> = {
    '{componentId}': component,
    '{incidentId}': incident,
    '{maintenanceId}': maintenance,
  };
  return screens.map((screen) =>
    screen.replace(/\{\w+\}/, (name) => {
      const id = ids[name];
      if (id === undefined) throw new Error(`${screen} needs a thing of the organisation`);
      return id;
    }),
  );
}

/** What changes something. */
const changes =
  /^(new|create|add|edit|delete|remove|record|attach|detach|complete|cancel maintenance|publish|save|update|send|import|export|reorder|revoke|rotate|verify|actions for|audit log|change the status|duplicate)\b/i;

/** Waits for the content of what is shown. A tab that is opened later is no load of the page. */
async function isLoaded(main: Locator) {
  await expect(main.locator('[aria-busy=true]')).toHaveCount(0);
  await expect(main.getByText(/^Loading/)).toHaveCount(0);
}

/** The names of what can be pressed in the screen and its tabs, and the columns without content. */
async function offered(page: Page, path: string) {
  await page.goto(path);
  const main = page.getByRole('main');
  await expect(main.getByRole('heading', { level: 1 }).first()).toBeVisible();
  // The parts of a screen that follow its first part.
  await page.waitForLoadState('networkidle');
  await isLoaded(main);
  const names: string[] = [];
  const empty: string[] = [];
  const tabs = await main.getByRole('tab').all();
  for (const tab of tabs.length > 0 ? tabs : [null]) {
    if (tab) {
      await tab.click();
      const name = (await tab.textContent()) ?? '';
      await expect(main.getByRole('tabpanel', { name, exact: true })).toBeVisible();
    }
    await isLoaded(main);
    names.push(
      ...(await main
        .locator('a:visible, button:visible:enabled')
        .evaluateAll((found) =>
          found.map((element) => element.getAttribute('aria-label') ?? element.textContent),
        )),
    );
    empty.push(
      ...(await main.locator('table:visible').evaluateAll((tables) =>
        tables.flatMap((table) => {
          const rows = [...table.querySelectorAll('tbody tr')];
          const headers = [...table.querySelectorAll('thead th')];
          if (rows.every((row) => row.children.length !== headers.length)) return [];
          const isEmpty = (column: number) =>
            rows.every((row) => row.children[column]?.innerHTML === '');
          return headers.filter((_, column) => isEmpty(column)).map((th) => th.textContent);
        }),
      )),
    );
  }
  return { changes: names.map((name) => name.trim()).filter((name) => changes.test(name)), empty };
}

test('a viewer is offered no change on any screen', async ({ organisation, memberPage }) => {
  const paths = await fill(organisation);
  const page = await memberPage('viewer');
  for (const path of paths) {
    expect(await offered(page, path), path).toEqual({ changes: [], empty: [] });
  }
});

test('an editor is offered the changes of content, and none of the organisation', async ({
  organisation,
  memberPage,
}) => {
  const paths = await fill(organisation);
  const page = await memberPage('editor');
  for (const path of paths) {
    const found = await offered(page, path);
    expect(found.empty, path).toEqual([]);
    // The order is saved by a button that waits for a change.
    const without = ['/settings', '/organisation', '/audit', '/metrics', '/components/order'];
    const offersNone = without.includes(path);
    expect(found.changes.length > 0, `${path}: ${found.changes.join()}`).toBe(!offersNone);
    expect(found.changes, path).not.toContain('Audit Log');
  }
});
