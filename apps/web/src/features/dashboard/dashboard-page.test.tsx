import { act, screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Dashboard } from '@/api/types';
import { endpoints, paths } from '@/paths';
import { componentGroup } from '@/testing/component-group';
import { renderRoutes, signedInAs } from '@/testing/render';
import { apiUrl, problem, server, settings, success } from '@/testing/server';
import { aChange, aDashboard } from './fixtures';
import { dashboardRoutes } from './routes';

const now = Date.parse('2026-11-21T14:00:00.000Z');

const incident: Dashboard['incidents'][number] = {
  id: 'incident-1',
  code: '0123456789ab',
  title: 'Checkout fails',
  description: 'Payments are refused.',
  status: 'INVESTIGATING',
  occuredAt: '2026-11-21T11:46:00.000Z',
  resolvedAt: null,
  createdAt: '2026-11-21T11:46:00.000Z',
  updatedAt: '2026-11-21T11:46:00.000Z',
  IncidentTimeline: [],
};

const resolved = { ...incident, status: 'RESOLVED', resolvedAt: '2026-11-21T14:00:00.000Z' };

const maintenance: Dashboard['maintenances'][number] = {
  id: 'maintenance-1',
  code: '0123456789ab',
  title: 'Move',
  description: 'To another rack.',
  notify: true,
  status: 'SCHEDULED',
  startAt: '2026-11-22T17:00:00.000Z',
  endAt: null,
  createdAt: '2026-11-20T11:46:00.000Z',
  updatedAt: '2026-11-20T11:46:00.000Z',
  timeline: [],
  components: [],
};

const component: Dashboard['components'][number] = {
  id: 'component-1',
  code: '0123456789ab',
  name: 'API',
  description: '',
  status: 'MAJOR_OUTAGE',
  underMaintenance: false,
  groupId: null,
  position: 1,
  showUptime: true,
  startDate: null,
  onlyShowWhenAffected: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};

/** Serves what the function returns at each request, and counts the requests. */
function serve(dashboard: () => Dashboard) {
  const asked = vi.fn();
  server.use(
    http.get(apiUrl(endpoints.dashboard), () => {
      asked();
      return success(dashboard());
    }),
  );
  return asked;
}

const render = (auth = signedInAs('admin')) =>
  renderRoutes(dashboardRoutes, { path: paths.dashboard, auth });
const section = (name: string) => screen.findByRole('region', { name });

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now });
});
afterEach(() => {
  vi.useRealTimers();
});

it('has its heading, and the headline as the public sees it with a link to the page', async () => {
  serve(() => aDashboard());
  render();
  expect(await screen.findByRole('heading', { level: 1, name: 'Dashboard' })).toBeInTheDocument();
  const headline = await section('Public headline');
  expect(headline).toHaveAttribute('data-tone', 'operational');
  expect(headline).toHaveTextContent('All Systems Operational');
  expect(within(headline).getByRole('link', { name: 'View Public Page' })).toHaveAttribute(
    'href',
    '/status/org-1',
  );
});

it('shows open incidents with their age, affected components and what is planned', async () => {
  serve(() =>
    aDashboard({
      banner: { operational: false, text: 'Some systems are experiencing issues' },
      incidents: [incident],
      components: [component],
      maintenances: [
        maintenance,
        { ...maintenance, id: 'm2', title: 'Now', status: 'IN_PROGRESS' },
      ],
    }),
  );
  render();
  expect(await section('Public headline')).toHaveAttribute('data-tone', 'degraded');
  const incidents = await section('Open incidents 1');
  expect(incidents).toHaveTextContent('Investigating');
  expect(incidents).toHaveTextContent('open for 2 h 14 min');
  expect(within(incidents).getByRole('link', { name: 'Checkout fails' })).toHaveAttribute(
    'href',
    '/incidents/incident/edit/incident-1',
  );
  expect(within(incidents).getByRole('link', { name: 'New Incident' })).toHaveAttribute(
    'href',
    '/incidents/incident/create',
  );
  expect(await section('Affected components 1')).toHaveTextContent('APIMajor Outage');
  const planned = await section('Maintenance, next seven days 2');
  expect(planned).toHaveTextContent('starts in 1 d 3 h');
  expect(planned).toHaveTextContent('no end known');
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect(incidents).toHaveTextContent('open for 2 h 15 min');
});

it('lists the worst components first, and from the ninth on when asked', async () => {
  const components = Array.from({ length: 60 }, (_, index) => ({
    ...component,
    id: `c${index}`,
    name: `API ${index}`,
    status: index === 59 ? ('MAJOR_OUTAGE' as const) : ('DEGRADED' as const),
  }));
  serve(() => aDashboard({ components }));
  const { user } = render();
  const affected = within(await section('Affected components 60'));
  const [first] = affected.getAllByRole('listitem');
  expect(first).toHaveTextContent('API 59Major Outage');
  expect(affected.getByText('API 6')).toBeVisible();
  expect(affected.getByText('API 7')).not.toBeVisible();
  await user.click(affected.getByText('52 more'));
  expect(affected.getByText('API 7')).toBeVisible();
  expect(affected.getByText('API 58')).toBeVisible();
});

it('names the group of an affected component', async () => {
  server.use(
    http.get(apiUrl(endpoints.componentGroups.list), () => success([componentGroup('Europe')])),
  );
  serve(() => aDashboard({ components: [{ ...component, groupId: 'europe' }] }));
  render();
  expect(await section('Affected components 1')).toHaveTextContent('APIEuropeMajor Outage');
});

it('offers to open an incident for a component that is not operational', async () => {
  const maintained = { ...component, id: 'component-2', name: 'Website', underMaintenance: true };
  serve(() => aDashboard({ components: [component, { ...maintained, status: 'OPERATIONAL' }] }));
  render();
  const affected = within(await section('Affected components 2'));
  const links = affected.getAllByRole('link', { name: /^Open Incident/ });
  expect(links.map((link) => link.getAttribute('href'))).toEqual([
    '/incidents/incident/create?component=component-1',
  ]);
  expect(links[0]).toHaveAccessibleName('Open Incident: API');
});

it('leads to the open incident of a component in place of a second one', async () => {
  const web = { ...component, id: 'component-2', name: 'Website' };
  const impacts = [{ componentId: 'component-1', incidentId: 'incident-1' }];
  serve(() => aDashboard({ components: [component, web], incidents: [incident], impacts }));
  render();
  const affected = within(await section('Affected components 2'));
  const link = affected.getByRole('link', { name: 'Go to Incident: Checkout fails' });
  expect(link).toHaveAttribute('href', '/incidents/incident/edit/incident-1');
  expect(link.closest('li')).toHaveTextContent('API');
  const [open, ...others] = affected.getAllByRole('link', { name: /^Open Incident/ });
  expect(open).toHaveAccessibleName('Open Incident: Website');
  expect(others).toEqual([]);
});

it('records an update of a planned maintenance', async () => {
  serve(() => aDashboard({ maintenances: [maintenance] }));
  let sent: unknown;
  server.use(
    http.get(apiUrl(endpoints.maintenances.item('maintenance-1')), () => success(maintenance)),
    http.post(apiUrl(endpoints.maintenances.createUpdate('maintenance-1')), async ({ request }) => {
      sent = await request.json();
      return success({}, { status: 201 });
    }),
  );
  const { user } = render();
  await user.click(await screen.findByRole('button', { name: 'Record Update: Move' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Record Update' }));
  await user.type(await dialog.findByRole('textbox', { name: /Message/ }), 'We begin.');
  await user.click(dialog.getByRole('button', { name: 'Record Update' }));
  expect(await screen.findByText('Maintenance Update Created')).toBeInTheDocument();
  expect(sent).toMatchObject({ message: 'We begin.', notify: true });
});

it('completes a maintenance in progress and reads the dashboard again', async () => {
  const begun = { ...maintenance, id: 'm2', title: 'Now', status: 'IN_PROGRESS' as const };
  const planned = [begun, maintenance];
  serve(() => aDashboard({ maintenances: [...planned] }));
  server.use(
    http.get(apiUrl(endpoints.maintenances.item('m2')), () => success(begun)),
    http.patch(apiUrl(endpoints.maintenances.item('m2')), () => {
      planned.shift();
      return success({ ...begun, status: 'COMPLETED' });
    }),
  );
  const { user } = render();
  await section('Maintenance, next seven days 2');
  const [complete, ...others] = screen.getAllByRole('button', { name: /^Complete/ });
  expect(complete).toHaveAccessibleName('Complete Maintenance');
  expect(complete).toHaveAccessibleDescription('Now');
  expect(others).toEqual([]);
  await user.click(complete ?? document.body);
  const confirm = within(screen.getByRole('alertdialog')).getByRole('button', {
    name: 'Complete Maintenance',
  });
  await waitFor(() => expect(confirm).toBeEnabled());
  await user.click(confirm);
  expect(await screen.findByText('Maintenance completed successfully')).toBeInTheDocument();
  expect(await section('Maintenance, next seven days 1')).not.toHaveTextContent('Now');
});

it.each([
  ['admin', 1],
  ['editor', 0],
] as const)('offers all changes to admins only: %s', async (role, links) => {
  serve(() => aDashboard({ changes: [aChange()] }));
  render(signedInAs(role));
  const changes = within(await section('Last changes'));
  const all = changes.queryAllByRole('link', { name: 'View all' });
  for (const link of all) expect(link).toHaveAccessibleDescription('Last changes');
  expect(all.map((link) => link.getAttribute('href'))).toEqual(Array(links).fill('/audit'));
});

it('shows the subscribers with the messages that failed', async () => {
  serve(() =>
    aDashboard({
      subscribers: { total: 1240, subscribed: 1200, pending: 30, failing: 4 },
      deliveries: { waiting: 2, failed: 7 },
    }),
  );
  const counts = { waiting: 2, sent: 0, givenUp: 7, reasons: [], retrying: [], days: 30 };
  server.use(http.get(apiUrl(endpoints.subscribers.deliveries), () => success(counts)));
  render();
  const card = await section('Subscribers');
  for (const [name, path] of [
    ['30 Pending', '/subscribers?state=pending'],
    ['2 Queued messages', '/subscribers'],
    ['7 Messages that failed, last 30 days', '/subscribers'],
    ['4 Unreachable addresses', '/subscribers?state=failing'],
  ] as const) {
    expect(within(card).getByRole('link', { name })).toHaveAttribute('href', path);
  }
  expect(card).toHaveTextContent('Subscribed1,200');
  expect(card).toHaveTextContent('Pending30');
  expect(card).toHaveTextContent('Unsubscribed10');
  expect(card).toHaveTextContent('Messages that failed, last 30 days7');
  expect(card).toHaveTextContent('Unreachable addresses4');
});

it('leaves sign-ins out of the last changes', async () => {
  serve(() =>
    aDashboard({
      changes: [
        ...['created', 'refused', 'deleted'].map((what) =>
          aChange({ id: what, action: `session.${what}` }),
        ),
        aChange({ id: 'component' }),
      ],
    }),
  );
  render();
  const changes = within(await section('Last changes'));
  expect(changes.getAllByRole('listitem')).toHaveLength(1);
});

it('says who changed what, and leads to what is still there', async () => {
  serve(() =>
    aDashboard({
      changes: [
        aChange({ id: '5', action: 'component.deleted' }),
        aChange({
          id: '4',
          action: 'incident-update.created',
          target: { type: 'INCIDENT', id: 'incident-1', name: 'Checkout fails' },
          createdAt: '2026-11-21T13:59:30.000Z',
        }),
        aChange({
          id: '3',
          action: 'maintenance.started',
          actor: { type: 'SCHEDULER', id: null, name: 'Scheduler' },
          target: { type: 'MAINTENANCE', id: 'm1', name: 'Move' },
        }),
        aChange({
          id: '2',
          action: 'subscriber.created',
          target: { type: 'SUBSCRIBER', id: 's1', name: null },
        }),
        aChange(),
      ],
    }),
  );
  render();
  const changes = within(await section('Last changes')).getAllByRole('listitem');
  expect(changes.map((change) => change.textContent)).toEqual([
    'Ada Lovelace deleted component API52 min ago',
    'Ada Lovelace recorded an update of incident Checkout failsjust now',
    'Scheduler started maintenance Move52 min ago',
    'Ada Lovelace added a subscriber 52 min ago',
    'Ada Lovelace created component API52 min ago',
  ]);
  expect(screen.getByRole('link', { name: 'Checkout fails' })).toHaveAttribute(
    'href',
    '/incidents/incident/edit/incident-1',
  );
  expect(screen.queryByRole('link', { name: 'API' })).not.toBeInTheDocument();
});

it('shows eight changes, and the others when asked', async () => {
  const changes = Array.from({ length: 10 }, (_, index) =>
    aChange({
      id: `${index}`,
      target: { type: 'COMPONENT', id: `c${index}`, name: `API ${index}` },
    }),
  );
  serve(() => aDashboard({ changes }));
  const { user } = render();
  const list = within(await section('Last changes'));
  expect(list.getByText('API 7')).toBeVisible();
  expect(list.getByText('API 8')).not.toBeVisible();
  await user.click(list.getByText('2 more'));
  expect(list.getByText('API 9')).toBeVisible();
});

it('leads from each empty section to where something can be done', async () => {
  serve(() => aDashboard());
  render();
  await section('Open incidents');
  for (const [name, path] of [
    ['Open an incident', '/incidents/incident/create'],
    ['Change a status', '/components'],
    ['Schedule a maintenance', '/schedules/maintenance/create'],
    ['Add the first one', '/subscribers'],
  ] as const) {
    expect(screen.getByRole('link', { name })).toHaveAttribute('href', path);
  }
});

it('shows the first steps to an organisation without components', async () => {
  serve(() => aDashboard({ banner: null }));
  render();
  await screen.findByRole('heading', { name: 'First steps' });
  for (const [name, path] of [
    [/Create a component/, '/components/component/create'],
    [/Look at the public page/, '/status/org-1'],
    [/Invite your users/, '/subscribers'],
  ] as const) {
    expect(screen.getByRole('link', { name })).toHaveAttribute('href', path);
  }
});

it('offers the time zone of the browser to an organisation in UTC', async () => {
  serve(() => aDashboard({ banner: null }));
  let timeZone = 'Etc/UTC';
  server.use(
    http.get(apiUrl(endpoints.organisationSettings), () =>
      success({ ...settings, timeZone }, { etag: '"1"' }),
    ),
    http.patch(apiUrl(endpoints.organisationSettings), async ({ request }) => {
      expect(request.headers.get('If-Match')).toBe('"1"');
      const body = (await request.json()) as { timeZone: string };
      expect(body).toEqual({ timeZone: 'Europe/Berlin' });
      ({ timeZone } = body);
      return success({ ...settings, timeZone });
    }),
  );
  const { user } = render();
  await user.click(await screen.findByRole('button', { name: 'Use Europe/Berlin' }));
  expect(await screen.findByText('The time zone is Europe/Berlin')).toBeInTheDocument();
  await waitFor(() => expect(screen.queryByRole('button', { name: /^Use / })).toBeNull());
});

it('offers the time zone to admins only', async () => {
  serve(() => aDashboard({ banner: null }));
  const asked = vi.fn(() => success(settings));
  server.use(http.get(apiUrl(endpoints.organisationSettings), asked));
  render(signedInAs('editor'));
  await screen.findByRole('heading', { name: 'First steps' });
  expect(asked).not.toHaveBeenCalled();
  expect(screen.queryByRole('button', { name: /^Use / })).not.toBeInTheDocument();
});

it('records an update of an open incident and reads the dashboard again', async () => {
  const open = { ...incident };
  let sent: unknown;
  const asked = serve(() => aDashboard({ incidents: [open] }));
  server.use(
    http.post(apiUrl(endpoints.incidents.createUpdate('incident-1')), async ({ request }) => {
      sent = await request.json();
      open.status = 'MONITORING';
      return success({}, { status: 201 });
    }),
  );
  const { user } = render();
  await user.click(await screen.findByRole('button', { name: 'Record Update: Checkout fails' }));
  const dialog = screen.getByRole('dialog', { name: 'Record Update' });
  await user.click(within(dialog).getByRole('radio', { name: 'Monitoring' }));
  await user.type(within(dialog).getByRole('textbox', { name: /Message/ }), 'It works again.');
  await user.click(within(dialog).getByRole('button', { name: 'Record Update' }));
  expect(await screen.findByText('Incident Update Created')).toBeInTheDocument();
  expect(sent).toMatchObject({ status: 'MONITORING', message: 'It works again.' });
  await waitFor(async () =>
    expect(await section('Open incidents 1')).toHaveTextContent('Monitoring'),
  );
  expect(asked).toHaveBeenCalledTimes(2);
});

it('moves the focus to the section after an update that resolves the incident', async () => {
  const incidents = [{ ...incident }];
  serve(() => aDashboard({ incidents: [...incidents] }));
  server.use(
    http.post(apiUrl(endpoints.incidents.createUpdate('incident-1')), () => {
      incidents.pop();
      return success({}, { status: 201 });
    }),
    http.get(apiUrl(endpoints.incidents.item('incident-1')), () => success(resolved)),
  );
  const { user } = render();
  await user.click(await screen.findByRole('button', { name: 'Record Update: Checkout fails' }));
  await user.click(screen.getByRole('radio', { name: 'Resolved' }));
  await user.type(screen.getByRole('textbox', { name: /Message/ }), 'It works again.');
  await user.click(screen.getByRole('button', { name: 'Record Update' }));
  await waitFor(async () => expect(await section('Open incidents')).toHaveFocus());
});

it('says in an open dialog that another user has resolved the incident', async () => {
  const incidents = [incident];
  serve(() => aDashboard({ incidents: [...incidents] }));
  server.use(http.get(apiUrl(endpoints.incidents.item('incident-1')), () => success(resolved)));
  const { user } = render();
  await user.click(await screen.findByRole('button', { name: 'Record Update: Checkout fails' }));
  await user.type(screen.getByRole('textbox', { name: /Message/ }), 'We look.');
  incidents.pop();
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  const dialog = screen.getByRole('dialog', { name: 'Record Update' });
  expect(await within(dialog).findByRole('alert')).toHaveTextContent(
    'This incident has been resolved since you opened it',
  );
  expect(dialog).toHaveAccessibleDescription('Checkout fails Now: Resolved');
  expect(screen.getByRole('textbox', { name: /Message/ })).toHaveValue('We look.');
});

it('is read again every ten seconds while messages wait', async () => {
  const waiting = [2, 0];
  const asked = serve(() =>
    aDashboard({ deliveries: { waiting: waiting.shift() ?? 0, failed: 0 } }),
  );
  render();
  await section('Subscribers');
  await act(() => vi.advanceTimersByTimeAsync(10_000));
  await waitFor(() => expect(asked).toHaveBeenCalledTimes(2));
  await act(() => vi.advanceTimersByTimeAsync(30_000));
  expect(asked).toHaveBeenCalledTimes(2);
});

it('is not read again while its tab is hidden', async () => {
  const asked = serve(() => aDashboard());
  render();
  await section('Open incidents');
  const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  await act(() => vi.advanceTimersByTimeAsync(120_000));
  expect(asked).toHaveBeenCalledTimes(1);
  visibility.mockReturnValue('visible');
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  await waitFor(() => expect(asked).toHaveBeenCalledTimes(2));
});

it('says why it could not be read, and tries again', async () => {
  server.use(http.get(apiUrl(endpoints.dashboard), () => problem(403, 'Choose an organisation')));
  const { user } = render();
  expect(await screen.findByText('Choose an organisation')).toBeInTheDocument();
  serve(() => aDashboard());
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await section('Open incidents')).toBeInTheDocument();
});

it('says that it could not be refreshed, until it is', async () => {
  const changed = aDashboard({ incidents: [incident] });
  serve(() => changed);
  const { user } = render();
  await section('Open incidents 1');
  server.use(http.get(apiUrl(endpoints.dashboard), () => problem(403, 'Not now')));
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  const failure = (await screen.findByText('Could not refresh')).closest('[role=status]');
  expect(failure).toHaveTextContent(/Shown is the state before \d\d:\d\d [AP]M\./);
  expect(await section('Open incidents 1')).toHaveTextContent('Checkout fails');
  serve(() => changed);
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  await waitFor(() => expect(screen.queryByText('Could not refresh')).not.toBeInTheDocument());
});
