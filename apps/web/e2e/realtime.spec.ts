import type { Page } from '@playwright/test';
import { expect, listen, test as base } from './fixtures';

interface Created {
  id: string;
}

/** A second browser with its own session of the operator in the same organisation. */
const test = base.extend<{ colleague: Page }>({
  colleague: async ({ browser, server, operator, organisation, consoleErrors }, use) => {
    const context = await browser.newContext({ baseURL: server.url });
    await listen(context, consoleErrors);
    const { email, password } = operator.account;
    const data = { email, password };
    await expect(await context.request.post('/api/v1/identity/sign-in', { data })).toBeOK();
    const chosen = { data: { organisationId: organisation.id } };
    await expect(await context.request.post('/api/v1/identity/token', chosen)).toBeOK();
    await use(await context.newPage());
    await context.close();
  },
});

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

/** Opens a screen and waits until it is live and its list is read. */
async function open(page: Page, path: string): Promise<string[]> {
  await page.goto(path);
  await expect(page.getByText('Live updates: connected')).toBeAttached();
  await expect(page.getByText('No Data').first()).toBeVisible();
  await page.waitForLoadState('networkidle');
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (/^\/api\/v1\/(component|incident|maintenance)\//.test(pathname)) asked.push(pathname);
  });
  return asked;
}

test('two operators see each other’s components without asking for them', async ({
  operatorPage,
  colleague,
}) => {
  await open(operatorPage, '/components');
  const asked = await open(colleague, '/components');

  await operatorPage.getByRole('link', { name: 'New Component' }).click();
  await operatorPage.getByRole('textbox', { name: 'Name' }).fill('Website');
  await operatorPage.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(row(colleague, 'Website')).toContainText('Operational');
  await operatorPage.getByRole('link', { name: 'Edit Website' }).click();
  await operatorPage.getByText('Major Outage').click();
  await operatorPage.getByRole('button', { name: 'Update', exact: true }).click();
  await expect(row(colleague, 'Website')).toContainText('Major Outage');
  expect(asked).toEqual([]);

  await expect(row(operatorPage, 'Website')).toBeVisible();
  await colleague.getByRole('button', { name: 'Delete Website' }).click();
  await colleague.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(operatorPage.getByText('No Data')).toBeVisible();
});

test('an operator watches an incident that another one works on', async ({
  operatorPage,
  colleague,
  organisation,
  consoleErrors,
}) => {
  const { id: componentId } = await organisation.createComponent('Checkout');
  const asked = await open(colleague, '/incidents');
  const { id } = await organisation.call<Created>('POST', '/incident/create', {
    title: 'Payments fail',
    description: 'Cards are declined.',
    status: 'INVESTIGATING',
    occuredAt: new Date().toISOString(),
    components: [{ componentId, status: 'MAJOR_OUTAGE' }],
  });
  await expect(row(colleague, 'Payments fail')).toContainText('Investigating');
  expect(asked).toEqual([]);

  await open(operatorPage, `/incidents/incident/edit/${id}`);
  await organisation.call('POST', `/incident/${id}/updates/create`, {
    status: 'IDENTIFIED',
    message: 'A provider is down.',
  });
  await expect(row(operatorPage, 'A provider is down.')).toContainText('Ada Lovelace');
  await expect(operatorPage.getByRole('radio', { name: 'Identified' })).toBeChecked();
  await expect(row(colleague, 'Payments fail')).toContainText('Identified');

  await operatorPage.getByRole('tab', { name: 'Components' }).click();
  await expect(row(operatorPage, 'Checkout')).toContainText('Major Outage');
  await organisation.call('POST', `/incident/${id}/components/detach`, {
    componentIds: [componentId],
  });
  await expect(row(operatorPage, 'Checkout')).toBeHidden();
  await organisation.call('DELETE', `/incident/${id}`);
  await expect(colleague.getByText('No Data')).toBeVisible();
  await expect(operatorPage.getByText(/^This incident was deleted/)).toBeVisible();
  expect(asked).toEqual([]);
  // The browser logs the 404 for the deleted incident.
  expect(consoleErrors.splice(0).every((error) => error.includes('404'))).toBe(true);
});

test('an operator who edits what another one deletes learns it at once and keeps the text', async ({
  operatorPage,
  organisation,
  consoleErrors,
}) => {
  const { id: component } = await organisation.createComponent('Checkout');
  const { id: maintenance } = await organisation.call<Created>('POST', '/maintenance/create', {
    title: 'Database upgrade',
    description: 'Writes pause.',
    status: 'SCHEDULED',
    startAt: new Date(Date.now() + 3_600_000).toISOString(),
  });
  for (const { screen, call, noun } of [
    {
      screen: `/components/component/edit/${component}`,
      call: `/component/${component}`,
      noun: 'component',
    },
    {
      screen: `/schedules/maintenance/edit/${maintenance}`,
      call: `/maintenance/${maintenance}`,
      noun: 'maintenance',
    },
  ]) {
    await operatorPage.goto(screen);
    await expect(operatorPage.getByText('Live updates: connected')).toBeAttached();
    const description = operatorPage.getByRole('textbox', { name: /^Description/ });
    await description.fill('Typed in the meantime');
    await organisation.call('DELETE', call);
    const notice = operatorPage.getByText(`This ${noun} was deleted since you opened it`);
    await expect(notice).toBeVisible();
    await expect(description).toHaveValue('Typed in the meantime');
    operatorPage.once('dialog', (dialog) => void dialog.accept());
  }
  // The browser logs the 404 for the deleted items.
  expect(consoleErrors.splice(0).every((error) => error.includes('404'))).toBe(true);
});

test('an operator watches a maintenance that another one plans, and the clock begins', async ({
  colleague,
  organisation,
}) => {
  const asked = await open(colleague, '/schedules');
  const { id } = await organisation.call<Created>('POST', '/maintenance/create', {
    title: 'Database upgrade',
    description: 'Writes pause.',
    status: 'SCHEDULED',
    startAt: new Date(Date.now() + 86_400_000).toISOString(),
  });
  await expect(row(colleague, 'Database upgrade')).toContainText('Scheduled');
  const soon = new Date(Date.now() + 1000).toISOString();
  await organisation.call('PATCH', `/maintenance/${id}`, { startAt: soon });
  await expect(row(colleague, 'Database upgrade')).toContainText('In Progress');
  await organisation.call('DELETE', `/maintenance/${id}`);
  await expect(colleague.getByText('No Data')).toBeVisible();
  expect(asked).toEqual([]);
});

/** Delays the responses to reads of one item. The server processes the reads at once. */
async function holdReads(page: Page, path: string) {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let pending = 0;
  await page.route(`**/api/v1${path}`, async (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    const response = await route.fetch();
    pending += 1;
    await released;
    await route.fulfill({ response });
  });
  return { release, pending: () => pending };
}

test('what is typed while a colleague’s version is being read does not replace it unseen', async ({
  operatorPage,
  colleague,
  organisation,
  consoleErrors,
}) => {
  const { id } = await organisation.createComponent('Website');
  const form = `/components/component/edit/${id}`;
  await operatorPage.goto(form);
  await expect(operatorPage.getByText('Live updates: connected')).toBeAttached();
  const name = operatorPage.getByRole('textbox', { name: 'Name' });
  await expect(name).toHaveValue('Website');
  const reads = await holdReads(operatorPage, `/component/${id}`);

  await colleague.goto(form);
  await colleague.getByRole('textbox', { name: 'Name' }).fill('Shop');
  await colleague.getByRole('button', { name: 'Update', exact: true }).click();
  await expect(row(colleague, 'Shop')).toBeVisible();
  await expect.poll(reads.pending).toBe(1);
  await name.fill('My website');
  reads.release();

  const conflict = operatorPage.getByRole('alert').filter({ hasText: 'has changed since' });
  await expect(conflict).toContainText('Shop');
  await expect(name).toHaveValue('My website');
  await operatorPage.getByRole('button', { name: 'Update', exact: true }).click();
  await expect(conflict).toContainText('Shop');
  const stored = () => organisation.call<{ name: string }>('GET', `/component/${id}`);
  expect((await stored()).name).toBe('Shop');
  await operatorPage.getByRole('button', { name: 'Keep Mine' }).click();
  await operatorPage.getByRole('button', { name: 'Update', exact: true }).click();
  await expect(row(operatorPage, 'My website')).toBeVisible();
  expect((await stored()).name).toBe('My website');
  expect(consoleErrors.splice(0)).toEqual([expect.stringContaining('412')]);
});

for (const status of ['Monitoring', 'Resolved']) {
  test(`a chosen status does not replace ${status}, which a colleague has set`, async ({
    operatorPage,
    colleague,
    organisation,
    consoleErrors,
  }) => {
    const { id } = await organisation.call<Created>('POST', '/incident/create', {
      title: 'Payments fail',
      description: 'Cards are declined.',
      status: 'INVESTIGATING',
      occuredAt: new Date().toISOString(),
      components: [],
    });
    for (const page of [operatorPage, colleague]) {
      await page.goto(`/incidents/incident/edit/${id}`);
      await expect(page.getByText('Live updates: connected')).toBeAttached();
    }
    await operatorPage.getByText('Identified', { exact: true }).click();
    await expect(operatorPage.getByRole('radio', { name: 'Identified' })).toBeChecked();
    await colleague.getByText(status, { exact: true }).click();
    await colleague.getByRole('button', { name: 'Update Incident' }).click();
    await expect(row(colleague, 'Payments fail')).toContainText(status);

    const conflict = operatorPage.getByRole('alert').filter({ hasText: 'has changed since' });
    await expect(conflict).toContainText(status);
    await expect(operatorPage.getByRole('radio', { name: 'Identified' })).toBeChecked();
    await operatorPage.getByRole('button', { name: 'Update Incident' }).click();
    await expect(conflict).toContainText(status);
    const stored = await organisation.call<{ status: string }>('GET', `/incident/${id}`);
    expect(stored.status).toBe(status.toUpperCase());
    await operatorPage.getByRole('button', { name: 'Use the New Version' }).click();
    await expect(operatorPage.getByRole('radio', { name: status })).toBeChecked();
    expect(consoleErrors.splice(0)).toEqual([expect.stringContaining('412')]);
  });
}

/** Records the toasts and failures that a page shows from now on. Toasts leave by themselves. */
async function recordMessages(page: Page): Promise<() => Promise<string[]>> {
  const shown = await page.evaluateHandle(() => {
    const messages = new Set<string>();
    const record = () => {
      const found = document.querySelectorAll('[data-toaster] li, [role=alert]');
      for (const { textContent } of found) messages.add(textContent);
    };
    new MutationObserver(record).observe(document.body, { childList: true, subtree: true });
    return messages;
  });
  return () => shown.evaluate((messages) => [...messages]);
}

test('an operator’s screen catches up once after the server was away', async ({
  operatorPage,
  organisation,
  server,
  consoleErrors,
}) => {
  const asked = await open(operatorPage, '/components');
  const messages = await recordMessages(operatorPage);
  await server.stop();
  await expect(operatorPage.getByText(/^Live updates: (dis)?connect(ed|ing)$/)).not.toHaveText(
    'Live updates: connected',
  );
  await server.startAgain();
  await organisation.createComponent('Website');
  await expect(row(operatorPage, 'Website')).toBeVisible();
  await expect(operatorPage.getByText('Live updates: connected')).toBeAttached();
  await expect.poll(() => asked).toEqual(['/api/v1/component/list']);
  await organisation.createComponent('API');
  await expect(row(operatorPage, 'API')).toBeVisible();
  expect(asked).toEqual(['/api/v1/component/list']);
  // The outage is reported in the console only.
  expect(await messages()).toEqual([]);
  consoleErrors.splice(0);
});

test('the status page uses the socket for a signed-in visitor only', async ({
  operatorPage,
  page,
  organisation,
}) => {
  const asked: Record<'operator' | 'visitor', string[]> = { operator: [], visitor: [] };
  await open(operatorPage, '/components');
  operatorPage.on('request', (request) => asked.operator.push(new URL(request.url()).pathname));
  page.on('request', (request) => asked.visitor.push(new URL(request.url()).pathname));
  for (const visitor of [operatorPage, page]) {
    await visitor.goto(organisation.statusPage);
    await expect(visitor.getByText('Live', { exact: true })).toBeVisible();
  }
  const { id } = await organisation.createComponent('Website');
  await organisation.call('PATCH', `/component/${id}`, { status: 'DEGRADED' });
  for (const visitor of [operatorPage, page]) {
    const components = visitor.getByRole('region', { name: 'Components' });
    await expect(components.getByText('Degraded Performance')).toBeVisible();
  }
  expect(asked.operator).toContain('/socket.io/');
  expect(asked.operator.filter((path) => path.endsWith('/events'))).toEqual([]);
  expect(asked.visitor.filter((path) => path.startsWith('/socket.io'))).toEqual([]);
  expect(asked.visitor.filter((path) => path.includes('/identity/'))).toEqual([]);
});
