import { act, screen } from '@testing-library/react';
import { http } from 'msw';
import { useState, type ReactNode } from 'react';
import { expect, it, vi } from 'vitest';
import type { PublicComponent, PublicIncident, PublicMaintenance } from '@/api/types';
import { maxWaitingChanges } from '@/api/query-cache';
import { useList } from '@/api/use-list';
import { useQuery } from '@/api/use-query';
import { endpoints } from '@/paths';
import { FakeSocket } from '@/testing/fake-socket';
import { renderScreen } from '@/testing/render';
import { success, apiUrl, problem, server, hold, nextTask, settled } from '@/testing/server';
import { readAgainMs } from './cache-sync';
import { RealtimeProvider } from './realtime-provider';

const at = { createdAt: '2026-11-20T10:00:00.000Z' };

const service = (id: string, more: Partial<PublicComponent> = {}): PublicComponent => ({
  id,
  name: id,
  description: '',
  status: 'OPERATIONAL',
  underMaintenance: false,
  code: '0123456789ab',
  groupId: null,
  position: 1,
  startDate: null,
  onlyShowWhenAffected: false,
  uptime: null,
  ...at,
  ...more,
});

const incident = (id: string, more: Partial<PublicIncident> = {}): PublicIncident => ({
  id,
  code: '0123456789ab',
  title: id,
  description: '',
  status: 'INVESTIGATING',
  occuredAt: at.createdAt,
  resolvedAt: null,
  IncidentTimeline: [],
  components: [],
  ...at,
  ...more,
});

const maintenance = (id: string, more: Partial<PublicMaintenance> = {}): PublicMaintenance => ({
  id,
  code: '0123456789ab',
  title: id,
  description: '',
  status: 'SCHEDULED',
  startAt: at.createdAt,
  endAt: null,
  timeline: [],
  components: [],
  ...at,
  ...more,
});

const entry = (id: string, message = id) => ({
  id,
  status: 'IDENTIFIED',
  message,
  ...at,
  displayAt: at.createdAt,
});
const update = (id: string, message = id) => ({ ...entry(id, message), user: { name: 'Grace' } });
const link = (id: string, name = id): PublicIncident['components'][number] => ({
  componentId: id,
  status: 'DEGRADED',
  component: { id, code: '0123456789ab', name },
});

interface Row {
  id?: string;
  name?: string;
  title?: string;
  status?: string;
  message?: string;
  updatedAt?: string;
  user?: { name: string };
  component?: { name: string };
}

function text(row: Row): string {
  const { name, title, message, user, component, status, updatedAt } = row;
  return [name, title, message, user?.name, component?.name, status, updatedAt]
    .filter(Boolean)
    .join(' ');
}

function Rows({ rows }: { rows: Row[] | undefined }) {
  return <p>{rows?.map(text).join(', ') ?? 'Loading'}</p>;
}

function Pages({ path }: { path: string }) {
  return <Rows rows={useList<Row>(path).rows} />;
}

function Whole({ path }: { path: string }) {
  return <Rows rows={useQuery<Row[]>(path).data} />;
}

/** Serves a list, and counts its requests. */
function serve(path: string, rows: () => unknown[]) {
  const asked = { times: 0 };
  server.use(
    http.get(apiUrl(path), () => {
      asked.times += 1;
      return success(rows());
    }),
  );
  return asked;
}

/** Shows a list with a connected socket; returns the count of its requests. */
async function show(path: string, rows: unknown[], asPages = true) {
  const asked = serve(path, () => rows);
  renderScreen(
    <RealtimeProvider>{asPages ? <Pages path={path} /> : <Whole path={path} />}</RealtimeProvider>,
  );
  await expect.poll(() => FakeSocket.all.length).toBe(1);
  await act(() => FakeSocket.last.join());
  await expect.poll(() => screen.queryByText('Loading')).toBe(null);
  await settled();
  return asked;
}

const fire = (name: string, ...args: unknown[]) => act(() => FakeSocket.last.fire(name, ...args));

/** Sends an event more often than events may wait. */
const fireMany = (name: string, ...args: unknown[]) =>
  act(() => {
    for (let sent = 0; sent <= maxWaitingChanges; sent += 1) FakeSocket.last.fire(name, ...args);
  });

const { components, incidents, maintenances } = endpoints;
const later = { updatedAt: 'later' };

it.each([
  {
    kind: 'component',
    path: components.list,
    row: service,
    change: { name: 'B', status: 'MAJOR_OUTAGE' } as const,
    first: 'OPERATIONAL',
  },
  {
    kind: 'incident',
    path: incidents.list,
    row: incident,
    change: { title: 'B', status: 'RESOLVED' } as const,
    first: 'INVESTIGATING',
  },
  {
    kind: 'maintenance',
    path: maintenances.list,
    row: maintenance,
    change: { title: 'B', status: 'COMPLETED' } as const,
    first: 'SCHEDULED',
  },
])('shows a $kind that comes, changes and goes, and asks for nothing', async (each) => {
  const { kind, row, change, first } = each;
  const changed = kind === 'component' ? 'component-update' : `${kind}-updated`;
  const asked = await show(each.path, [{ ...row('b'), ...later }]);
  const { times } = asked;
  expect(screen.getByText(`b ${first} later`)).toBeInTheDocument();

  fire(changed, { ...row('b'), ...change });
  expect(await screen.findByText(`B ${change.status} later`)).toBeInTheDocument();
  fire(`new-${kind}`, row('c'));
  expect(await screen.findByText((shown) => /^c .*, B /.test(shown))).toBeInTheDocument();
  fire(`new-${kind}`, row('c'));
  fire(changed, row('unknown'));
  fire(`${kind}-deleted`, 'unknown');
  await settled();
  expect(screen.getByText((shown) => /^c [^,]*, B [^,]*$/.test(shown))).toBeInTheDocument();
  fire(`${kind}-deleted`, 'c');
  fire(`${kind}-deleted`, 'b');
  await expect.poll(() => screen.queryByText(/./, { selector: 'p' })).toBe(null);
  expect(asked.times).toBe(times);
});

it.each([
  {
    kind: 'incident',
    parent: { incidentId: 'i1' },
    list: incidents.updates('i1'),
    item: incidents.update('i1', 'e2'),
    changed: 'timeline-updated',
    gone: 'incident-timeline-deleted',
  },
  {
    kind: 'maintenance',
    parent: { maintenanceId: 'i1' },
    list: maintenances.updates('i1'),
    item: maintenances.update('i1', 'e2'),
    changed: 'maintenance-timeline-updated',
    gone: 'maintenance-timeline-deleted',
  },
])('follows the updates of a $kind, and requests the author of a new one', async (each) => {
  const asked = await show(each.list, [update('e1')], false);
  const { times } = asked;
  const one = serve(each.item, () => []);
  server.use(http.get(apiUrl(each.item), () => ((one.times += 1), success(update('e2')))));

  fire(each.changed, { ...entry('e1', 'Edited.'), ...each.parent });
  expect(await screen.findByText('Edited. Grace IDENTIFIED')).toBeInTheDocument();
  expect(one.times).toBe(0);
  fire(each.changed, { ...entry('e2'), ...each.parent });
  expect(await screen.findByText(/^e2 Grace IDENTIFIED, Edited\./)).toBeInTheDocument();
  fire(each.gone, 'i1', 'e1');
  expect(await screen.findByText('e2 Grace IDENTIFIED')).toBeInTheDocument();
  expect(asked.times).toBe(times);
});

it('keeps the updates in the order in which they are displayed', async () => {
  const rows = [{ ...update('e3'), displayAt: '2026-11-20T10:03:00.000Z' }, update('e1')];
  await show(incidents.updates('i1'), rows, false);
  const moved = { ...entry('e3'), displayAt: '2026-11-20T09:00:00.000Z' };
  fire('timeline-updated', { ...moved, incidentId: 'i1' });
  expect(await screen.findByText('e1 Grace IDENTIFIED, e3 Grace IDENTIFIED')).toBeInTheDocument();
  const past = { ...update('e4'), displayAt: '2026-11-20T09:30:00.000Z' };
  server.use(http.get(apiUrl(incidents.update('i1', 'e4')), () => success(past)));
  fire('timeline-updated', { ...entry('e4'), displayAt: past.displayAt, incidentId: 'i1' });
  expect(
    await screen.findByText('e1 Grace IDENTIFIED, e4 Grace IDENTIFIED, e3 Grace IDENTIFIED'),
  ).toBeInTheDocument();
});

it('does not bring back an update that was deleted while it was asked for', async () => {
  const { held, release } = hold();
  await show(incidents.updates('i1'), [update('e1')], false);
  server.use(
    http.get(apiUrl(incidents.update('i1', 'e2')), async () => {
      await held;
      return success(update('e2'));
    }),
    http.get(apiUrl(incidents.update('i1', 'e3')), () => success(update('e3'))),
  );
  fire('timeline-updated', { ...entry('e2'), incidentId: 'i1' });
  fire('incident-timeline-deleted', 'i1', 'e2');
  release();
  // A later update, whose response comes after the held one.
  fire('timeline-updated', { ...entry('e3'), incidentId: 'i1' });
  expect(await screen.findByText('e3 Grace IDENTIFIED, e1 Grace IDENTIFIED')).toBeInTheDocument();
});

it('shows a new update although the server is unavailable for a moment', async () => {
  await show(incidents.updates('i1'), [update('e1')], false);
  server.use(
    http.get(apiUrl(incidents.update('i1', 'e2')), () => success(update('e2'))),
    http.get(apiUrl(incidents.update('i1', 'e2')), () => problem(503, 'Unavailable'), {
      once: true,
    }),
  );
  fire('timeline-updated', { ...entry('e2'), incidentId: 'i1' });
  expect(await screen.findByText('e2 Grace IDENTIFIED, e1 Grace IDENTIFIED')).toBeInTheDocument();
});

it('reads the updates again when a new one cannot be read', async () => {
  vi.spyOn(console, 'error').mockReturnValue();
  const rows = [update('e1')];
  await show(incidents.updates('i1'), rows, false);
  rows.unshift(update('e2'));
  server.use(http.get(apiUrl(incidents.update('i1', 'e2')), () => problem(400, 'No')));
  fire('timeline-updated', { ...entry('e2'), incidentId: 'i1' });
  expect(await screen.findByText('e2 Grace IDENTIFIED, e1 Grace IDENTIFIED')).toBeInTheDocument();
});

it('leaves out an update that is gone when it is asked for', async () => {
  const errors = vi.spyOn(console, 'error');
  await show(incidents.updates('i1'), [update('e1')], false);
  const path = apiUrl(incidents.update('i1', 'e2'));
  const asked = { times: 0 };
  server.use(http.get(path, () => ((asked.times += 1), problem(404, 'Not found'))));
  fire('timeline-updated', { ...entry('e2'), incidentId: 'i1' });
  await expect.poll(() => asked.times).toBe(1);
  await settled();
  expect(screen.getByText('e1 Grace IDENTIFIED')).toBeInTheDocument();
  expect(asked.times).toBe(1);
  expect(errors).not.toHaveBeenCalled();
});

it('requests nothing about updates that are not shown', async () => {
  await show(components.list, []);
  fire('timeline-updated', { ...entry('e2'), incidentId: 'i1' });
  fire('maintenance-timeline-updated', { ...entry('e2'), maintenanceId: 'i1' });
  await settled();
});

it('shows the components of an incident with their current names', async () => {
  await show(incidents.components('i1'), [link('c1')], false);
  fire('incident-updated', incident('i1', { components: [link('c2'), link('c1')] }));
  expect(await screen.findByText('c2 DEGRADED, c1 DEGRADED')).toBeInTheDocument();
  fire('component-update', service('c1', { name: 'Website' }));
  expect(await screen.findByText('c2 DEGRADED, Website DEGRADED')).toBeInTheDocument();
  fire('component-deleted', 'c2');
  expect(await screen.findByText('Website DEGRADED')).toBeInTheDocument();
  fire('incident-updated', incident('i2', { components: [link('c3')] }));
  await settled();
  expect(screen.getByText('Website DEGRADED')).toBeInTheDocument();
});

it('reads once what it shows after it was disconnected', async () => {
  const rows = [service('a')];
  const asked = await show(components.list, rows);
  const { times } = asked;
  act(() => FakeSocket.last.lose());
  rows.unshift(service('b'));
  await act(() => FakeSocket.last.join(5));
  expect(await screen.findByText('b OPERATIONAL, a OPERATIONAL')).toBeInTheDocument();
  await settled();
  expect(asked.times).toBe(times + 1);
});

it('reads the public page again when the organisation has changed, and after it was disconnected', async () => {
  const rows = [{ id: 'page', name: 'Older' }];
  await show(endpoints.status('org-1'), rows, false);
  rows[0] = { id: 'page', name: 'Newer' };
  fire('organisation-updated', { id: 'org-1' });
  expect(await screen.findByText('Newer')).toBeInTheDocument();
  act(() => FakeSocket.last.lose());
  rows[0] = { id: 'page', name: 'Newest' };
  await act(() => FakeSocket.last.join(5));
  expect(await screen.findByText('Newest')).toBeInTheDocument();
});

it('loses no event that arrives while the lists are being read', async () => {
  const rows = [service('b'), service('a')];
  await show(components.list, rows);
  act(() => FakeSocket.last.lose());
  // The server reads before the events that follow.
  const older = [service('c'), ...rows];
  const { held, release } = hold();
  server.use(
    http.get(apiUrl(components.list), async () => {
      await held;
      return success(older);
    }),
  );
  await act(() => FakeSocket.last.join(5));
  fire('new-component', service('d'));
  fire('component-update', service('c', { name: 'C' }));
  fire('component-deleted', 'a');
  release();
  expect(
    await screen.findByText(/^d OPERATIONAL .*, C OPERATIONAL, b OPERATIONAL$/),
  ).toBeInTheDocument();
});

it('reads the lists once more if too many events arrive while they are being read', async () => {
  const rows = [service('a', { name: 'Older' })];
  await show(components.list, rows);
  act(() => FakeSocket.last.lose());
  const response = hold();
  const responses = [rows, [service('a', { name: 'Newest' })]];
  server.use(
    http.get(apiUrl(components.list), async () => {
      const data = responses.shift();
      await response.held;
      return success(data);
    }),
  );
  await act(() => FakeSocket.last.join(5));
  fireMany('component-update', service('a', { name: 'Between' }));
  response.release();
  expect(await screen.findByText(/^Newest OPERATIONAL/)).toBeInTheDocument();
  await settled();
  expect(screen.getByText(/^Newest OPERATIONAL/)).toBeInTheDocument();
  expect(responses).toEqual([]);
});

it('reads lists again that failed after a reconnect', async () => {
  const rows = [service('a')];
  await show(components.list, rows);
  act(() => FakeSocket.last.lose());
  rows.unshift(service('b'));
  let failures = 4;
  server.use(
    http.get(apiUrl(components.list), () =>
      failures-- > 0 ? problem(503, 'Unavailable') : success(rows),
    ),
  );
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  await act(() => FakeSocket.last.join(5));
  await act(() => vi.advanceTimersByTimeAsync(10_000));
  expect(screen.getByText('a OPERATIONAL')).toBeInTheDocument();
  expect(failures).toBe(0);
  await act(() => vi.advanceTimersByTimeAsync(2 * readAgainMs));
  vi.useRealTimers();
  expect(await screen.findByText('b OPERATIONAL, a OPERATIONAL')).toBeInTheDocument();
  expect(failures).toBe(-1);
});

function Older({ path }: { path: string }) {
  const { rows, showOlder } = useList<Row>(path);
  return (
    <>
      <Rows rows={rows} />
      <button onClick={showOlder}>Older</button>
    </>
  );
}

it('reads all pages of a list again that failed, also after a change meanwhile', async () => {
  const older = [service('a')];
  let failures = 0;
  server.use(
    http.get(apiUrl(components.list), ({ request }) => {
      if (failures-- > 0) return problem(503, 'Unavailable');
      const isOlder = new URL(request.url).searchParams.has('before');
      return isOlder ? success(older, { next: null }) : success([service('b')], { next: 'b' });
    }),
  );
  const user = await openJoined(<Older path={components.list} />);
  await user.click(await screen.findByRole('button', { name: 'Older' }));
  await screen.findByText('b OPERATIONAL, a OPERATIONAL');
  act(() => FakeSocket.last.lose());
  older[0] = service('a', { status: 'DEGRADED' });
  failures = 4;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  await act(() => FakeSocket.last.join(5));
  await act(() => vi.advanceTimersByTimeAsync(10_000));
  expect(failures).toBe(0);
  fire('component-update', service('b', { name: 'B' }));
  expect(await screen.findByText('B OPERATIONAL, a OPERATIONAL')).toBeInTheDocument();
  await act(() => vi.advanceTimersByTimeAsync(2 * readAgainMs));
  vi.useRealTimers();
  expect(await screen.findByText('b OPERATIONAL, a DEGRADED')).toBeInTheDocument();
});

function Opened({ children }: { children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return isOpen ? children : <button onClick={() => setOpen(true)}>Open</button>;
}

/** Connects a socket, and shows a list afterwards; returns its user. */
async function openJoined(list: ReactNode) {
  const { user } = renderScreen(
    <RealtimeProvider>
      <Opened>{list}</Opened>
    </RealtimeProvider>,
  );
  await expect.poll(() => FakeSocket.all.length).toBe(1);
  await act(() => FakeSocket.last.join());
  await user.click(screen.getByRole('button', { name: 'Open' }));
  return user;
}

it('drops a change that waits for a response when the connection is lost', async () => {
  const response = hold();
  const responses = [service('b', { name: 'Older' }), service('b', { name: 'Newest' })];
  server.use(
    http.get(apiUrl(components.list), async () => {
      const data = responses.shift();
      await response.held;
      return success([data]);
    }),
  );
  await openJoined(<Whole path={components.list} />);
  fire('component-update', service('b', { name: 'Between' }));
  act(() => FakeSocket.last.lose());
  await act(() => FakeSocket.last.join(5));
  response.release();
  expect(await screen.findByText('Newest OPERATIONAL')).toBeInTheDocument();
  await settled();
  expect(screen.getByText('Newest OPERATIONAL')).toBeInTheDocument();
});

it.each([
  ['in pages', Pages],
  ['as a whole', Whole],
])('shows a list %s whose events come faster than its response', async (_, List) => {
  const response = hold();
  const asked = { times: 0 };
  server.use(
    http.get(apiUrl(components.list), async () => {
      asked.times += 1;
      await response.held;
      return success([service('b'), service('a')]);
    }),
  );
  await openJoined(<List path={components.list} />);
  for (const name of ['B', 'BB', 'BBB']) {
    fire('component-update', service('b', { name }));
    await nextTask();
  }
  fire('component-deleted', 'a');
  expect(screen.getByText('Loading')).toBeInTheDocument();
  response.release();
  expect(await screen.findByText(/^BBB OPERATIONAL\b/)).toBeInTheDocument();
  expect(asked.times).toBe(1);
});

it.each([
  { response: 'lacks it', rows: [update('e1')], requests: 1 },
  { response: 'has it', rows: [update('e2'), update('e1')], requests: 0 },
])('adds an update recorded while its table loads, if the response $response', async (each) => {
  const response = hold();
  server.use(
    http.get(apiUrl(incidents.updates('i1')), async () => {
      await response.held;
      return success(each.rows);
    }),
  );
  const one = { times: 0 };
  const path = apiUrl(incidents.update('i1', 'e2'));
  server.use(http.get(path, () => ((one.times += 1), success(update('e2')))));
  await openJoined(<Whole path={incidents.updates('i1')} />);
  fire('timeline-updated', { ...entry('e2'), incidentId: 'i1' });
  response.release();
  expect(await screen.findByText('e2 Grace IDENTIFIED, e1 Grace IDENTIFIED')).toBeInTheDocument();
  expect(one.times).toBe(each.requests);
});

it('does not request an update that was deleted while its table loaded', async () => {
  const response = hold();
  server.use(
    http.get(apiUrl(incidents.updates('i1')), async () => {
      await response.held;
      return success([update('e1')]);
    }),
  );
  await openJoined(<Whole path={incidents.updates('i1')} />);
  fire('timeline-updated', { ...entry('e2'), incidentId: 'i1' });
  fire('incident-timeline-deleted', 'i1', 'e2');
  response.release();
  expect(await screen.findByText('e1 Grace IDENTIFIED')).toBeInTheDocument();
  await settled();
});

it('reads a list again if too many changes wait for its response', async () => {
  const response = hold();
  const responses = [service('a', { name: 'Older' }), service('a', { name: 'Newest' })];
  server.use(
    http.get(apiUrl(components.list), async () => {
      const data = responses.shift();
      await response.held;
      return success([data]);
    }),
  );
  await openJoined(<Whole path={components.list} />);
  fireMany('component-update', service('a', { name: 'Between' }));
  response.release();
  expect(await screen.findByText('Newest OPERATIONAL')).toBeInTheDocument();
  expect(responses).toEqual([]);
});
