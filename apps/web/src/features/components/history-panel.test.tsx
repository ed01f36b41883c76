import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { http } from 'msw';
import { expect, it, vi } from 'vitest';
import type { StatusPeriod } from '@/api/types';
import { endpoints } from '@/paths';
import { RealtimeProvider } from '@/realtime/realtime-provider';
import { FakeSocket } from '@/testing/fake-socket';
import { renderScreen } from '@/testing/render';
import { apiUrl, problem, server, success } from '@/testing/server';
import { Toaster } from '@/ui/toaster';
import { HistoryPanel } from './history-panel';

const calls = endpoints.components.history('c');

const outage: StatusPeriod = {
  id: 'outage',
  status: 'MAJOR_OUTAGE',
  startAt: '2026-11-10T10:00:00.000Z',
  endAt: '2026-11-10T11:00:00.000Z',
  cause: { type: 'INCIDENT', id: 'i', name: 'Payments fail' },
};
const lasting: StatusPeriod = {
  ...outage,
  id: 'lasting',
  startAt: '2026-11-20T10:00:00.000Z',
  endAt: null,
  cause: { type: 'OPERATOR', id: null, name: null },
};

/** The server returns `history`, also after a change of it. Its version is its length. */
async function open(history: StatusPeriod[]) {
  server.use(
    http.get(apiUrl(calls.list), () => success([...history], { etag: `"${history.length}"` })),
  );
  const rendered = renderScreen(
    <RealtimeProvider>
      <HistoryPanel componentId="c" />
    </RealtimeProvider>,
  );
  await screen.findByRole('table', { name: 'History', busy: false });
  return rendered;
}

/** Types local times into the open dialog. */
function enter(start: string, end: string) {
  fireEvent.change(screen.getByLabelText(/^Start/), { target: { value: start } });
  fireEvent.change(screen.getByLabelText(/^End/), { target: { value: end } });
}

it('shows each period with its cause, and does not offer to delete the ongoing one', async () => {
  await open([lasting, outage]);
  const [, first, second] = screen.getAllByRole('row');
  expect(first).toHaveTextContent('Ongoing');
  expect(first).toHaveTextContent('Set by hand');
  expect(second).toHaveTextContent('Major Outage');
  expect(second).toHaveTextContent('Incident “Payments fail”');
  expect(screen.getAllByRole('button', { name: /^Edit period/ })).toHaveLength(2);
  expect(screen.getAllByRole('button', { name: /^Delete period/ })).toHaveLength(1);
  expect(screen.queryByRole('checkbox')).not.toBeInTheDocument();
});

it('adds a period for the version that is shown', async () => {
  const history: StatusPeriod[] = [];
  const { user } = await open(history);
  let sent: unknown;
  server.use(
    http.post(apiUrl(calls.create), async ({ request }) => {
      sent = [request.headers.get('If-Match'), await request.json()];
      history.push(outage);
      return success(outage, { status: 201, etag: '"1"' });
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Add Period' }));
  enter('2026-11-10T11:00', '2026-11-10T12:00');
  await user.click(screen.getByRole('button', { name: 'Add' }));
  expect(await screen.findByText('Period added')).toBeInTheDocument();
  expect(await screen.findByText('Incident “Payments fail”')).toBeInTheDocument();
  expect(sent).toEqual([
    '"0"',
    { status: 'MAJOR_OUTAGE', startAt: outage.startAt, endAt: outage.endAt },
  ]);
});

it('shows beside its field what the server refuses', async () => {
  const { user } = await open([]);
  server.use(
    http.post(apiUrl(calls.create), () =>
      problem(422, 'Some fields are wrong', [
        { field: 'startAt', message: 'Must not overlap another period' },
      ]),
    ),
  );
  await user.click(screen.getByRole('button', { name: 'Add Period' }));
  enter('2026-11-10T11:00', '2026-11-10T12:00');
  await user.click(screen.getByRole('button', { name: 'Add' }));
  expect(await screen.findByText('Must not overlap another period')).toBeInTheDocument();
});

it('shows what somebody else has made of a period, and saves on top of it', async () => {
  const history = [outage];
  const { user } = await open(history);
  const conditions: (string | null)[] = [];
  server.use(
    http.put(apiUrl(calls.item('outage')), ({ request }) => {
      conditions.push(request.headers.get('If-Match'));
      if (conditions.at(-1) === '"2"') return success(outage, { etag: '"3"' });
      history.splice(0, history.length, lasting, { ...outage, status: 'DEGRADED' });
      return problem(412, 'Somebody else has changed it');
    }),
  );
  await user.click(screen.getByRole('button', { name: /^Edit period/ }));
  await user.click(screen.getByRole('radio', { name: 'Partial Outage' }));
  await user.click(screen.getByRole('button', { name: 'Update' }));
  const conflict = await screen.findByText(/This history has changed/);
  expect(conflict.closest('[role=alert]')).toHaveTextContent('StatusDegraded Performance');
  // Not on top of it before the user has chosen.
  await user.click(screen.getByRole('button', { name: 'Update' }));
  await waitFor(() => expect(conditions).toEqual(['"1"', '"1"']));
  await screen.findByRole('button', { name: 'Update' });
  await user.click(screen.getByRole('button', { name: 'Keep Mine' }));
  await user.click(screen.getByRole('button', { name: 'Update' }));
  expect(await screen.findByText('Period changed')).toBeInTheDocument();
  expect(conditions).toEqual(['"1"', '"1"', '"2"']);
});

it('merges what somebody else has made of other fields of a period', async () => {
  const history = [outage];
  const { user } = await open(history);
  const sent: unknown[] = [];
  server.use(
    http.put(apiUrl(calls.item('outage')), async ({ request }) => {
      const { status, endAt } = (await request.json()) as StatusPeriod;
      sent.push([request.headers.get('If-Match'), status, endAt]);
      if (sent.length > 1) return success(outage, { etag: '"3"' });
      history.splice(0, 1, lasting, { ...outage, endAt: '2026-11-10T10:30:00.000Z' });
      return problem(412, 'Somebody else has changed it');
    }),
  );
  await user.click(screen.getByRole('button', { name: /^Edit period/ }));
  await user.click(screen.getByRole('radio', { name: 'Partial Outage' }));
  await user.click(screen.getByRole('button', { name: 'Update' }));
  expect(await screen.findByText(/^Nothing has been saved/)).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Keep Mine' })).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Update' }));
  expect(await screen.findByText('Period changed')).toBeInTheDocument();
  expect(sent).toEqual([
    ['"1"', 'PARTIAL_OUTAGE', outage.endAt],
    ['"2"', 'PARTIAL_OUTAGE', '2026-11-10T10:30:00.000Z'],
  ]);
});

it('adds a period on top of a history that has changed, once its user knows of it', async () => {
  const history = [outage];
  const { user } = await open(history);
  const conditions: (string | null)[] = [];
  server.use(
    http.post(apiUrl(calls.create), ({ request }) => {
      conditions.push(request.headers.get('If-Match'));
      if (conditions.length > 1) return success(outage, { status: 201, etag: '"3"' });
      history.unshift(lasting);
      return problem(412, 'Somebody else has changed it');
    }),
  );
  await user.click(screen.getByRole('button', { name: 'Add Period' }));
  enter('2026-11-10T11:00', '2026-11-10T12:00');
  await user.click(screen.getByRole('button', { name: 'Add' }));
  expect(await screen.findByText(/Save again to add the period/)).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Add' }));
  expect(await screen.findByText('Period added')).toBeInTheDocument();
  expect(conditions).toEqual(['"1"', '"2"']);
});

it('sends the version that its user has seen, even if the history has changed since', async () => {
  const history = [outage];
  const { user } = await open(history);
  let condition: string | null = null;
  server.use(
    http.put(apiUrl(calls.item('outage')), ({ request }) => {
      condition = request.headers.get('If-Match');
      return success(outage, { etag: '"3"' });
    }),
  );
  await user.click(screen.getByRole('button', { name: /^Edit period/ }));
  history.unshift(lasting);
  await act(() => FakeSocket.last.join());
  act(() => FakeSocket.last.fire('component-update', { id: 'c' }));
  await screen.findByText('Ongoing');
  await user.click(screen.getByRole('button', { name: 'Update' }));
  expect(await screen.findByText('Period changed')).toBeInTheDocument();
  expect(condition).toBe('"1"');
});

it('deletes only from the version in which its user has read the question', async () => {
  const history = [outage];
  const { user } = await open(history);
  let condition: string | null = null;
  server.use(
    http.delete(apiUrl(calls.item('outage')), ({ request }) => {
      condition = request.headers.get('If-Match');
      return problem(412, 'Somebody else has changed it');
    }),
  );
  await user.click(screen.getByRole('button', { name: /^Delete period/ }));
  history.unshift(lasting);
  await act(() => FakeSocket.last.join());
  act(() => FakeSocket.last.fire('component-update', { id: 'c' }));
  await screen.findByText('Ongoing');
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  expect(
    await screen.findByText('The history has changed since you opened it'),
  ).toBeInTheDocument();
  expect(condition).toBe('"1"');
});

it('gives the focus back to the button of a period that was changed', async () => {
  const history = [outage];
  const { user } = await open(history);
  server.use(
    http.put(apiUrl(calls.item('outage')), () => {
      history.unshift(lasting);
      return success(outage, { etag: '"2"' });
    }),
  );
  const edit = screen.getByRole('button', { name: /^Edit period/ });
  await user.click(edit);
  await user.click(screen.getByRole('button', { name: 'Update' }));
  // The history is read again after the change.
  await screen.findByText('Ongoing');
  await waitFor(() => expect(edit).toHaveFocus());
});

it('says how many periods are shown if there are more', async () => {
  server.use(
    http.get(apiUrl(calls.list), ({ request }) => {
      const isFirst = !request.url.includes('before');
      return success(isFirst ? [outage] : [], { next: 'outage' });
    }),
  );
  renderScreen(<HistoryPanel componentId="c" />);
  expect(await screen.findByText('Only the newest 10,000 periods are shown.')).toBeInTheDocument();
});

it('offers no Undo after the end of a period that lasted', async () => {
  const { user } = await open([lasting]);
  server.use(http.put(apiUrl(calls.item('lasting')), () => success(lasting, { etag: '"2"' })));
  await user.click(screen.getByRole('button', { name: /^Edit period/ }));
  fireEvent.change(screen.getByLabelText(/^End/), { target: { value: '2026-11-20T12:00' } });
  await user.click(screen.getByRole('button', { name: 'Update' }));
  expect(await screen.findByText('Period changed')).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Undo' })).not.toBeInTheDocument();
});

it('refuses a time that is entered in part', async () => {
  const { user } = await open([lasting]);
  await user.click(screen.getByRole('button', { name: /^Edit period/ }));
  const end = screen.getByLabelText(/^End/);
  // What browsers say of a date without a time; its value is empty.
  Object.defineProperty(end, 'validity', { value: { badInput: true } });
  await user.click(screen.getByRole('button', { name: 'Update' }));
  expect(await screen.findByText('Invalid date format')).toBeInTheDocument();
});

it('offers Undo until the history is left', async () => {
  const { user, unmount } = await open([]);
  server.use(http.post(apiUrl(calls.create), () => success(outage, { status: 201, etag: '"1"' })));
  await user.click(screen.getByRole('button', { name: 'Add Period' }));
  enter('2026-11-10T11:00', '2026-11-10T12:00');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  await user.click(screen.getByRole('button', { name: 'Add' }));
  await screen.findByText('Period added');
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect(screen.getByRole('button', { name: 'Undo' })).toBeInTheDocument();
  unmount();
  render(<Toaster />);
  await act(() => vi.advanceTimersByTimeAsync(200));
  expect(screen.queryByText('Period added')).not.toBeInTheDocument();
});

it('shows each change in a toast of its own, and offers Undo of the last one', async () => {
  const { user } = await open([]);
  server.use(http.post(apiUrl(calls.create), () => success(outage, { status: 201, etag: '"1"' })));
  const add = async () => {
    await user.click(screen.getByRole('button', { name: 'Add Period' }));
    enter('2026-11-10T11:00', '2026-11-10T12:00');
    await user.click(screen.getByRole('button', { name: 'Add' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  };
  await add();
  const first = screen.getByText('Period added');
  await add();
  await waitFor(() => expect(first).not.toBeInTheDocument());
  expect(screen.getByText('Period added')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Undo' })).toBeInTheDocument();
});

it('deletes a period once that is confirmed, and adds it again by Undo', async () => {
  const history = [outage];
  const { user } = await open(history);
  const sent: unknown[] = [];
  const again: StatusPeriod = {
    ...outage,
    cause: { type: 'CORRECTION', id: 'user-1', name: 'Ada Lovelace' },
  };
  server.use(
    http.delete(apiUrl(calls.item('outage')), ({ request }) => {
      sent.push(request.headers.get('If-Match'));
      history.pop();
      return success({ id: 'outage' }, { etag: '"8"' });
    }),
    http.post(apiUrl(calls.create), async ({ request }) => {
      sent.push([request.headers.get('If-Match'), await request.json()]);
      history.push(again);
      return success(again, { status: 201 });
    }),
  );
  await user.click(screen.getByRole('button', { name: /^Delete period/ }));
  const question = within(screen.getByRole('alertdialog', { name: 'Delete this period?' }));
  await user.click(question.getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('Period deleted')).toBeInTheDocument();
  expect(await screen.findByText('No Data')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  expect(await screen.findByText('Period added again')).toBeInTheDocument();
  expect(await screen.findByText('Entered by Ada Lovelace')).toBeInTheDocument();
  const { status, startAt, endAt } = outage;
  expect(sent).toEqual(['"1"', ['"8"', { status, startAt, endAt }]]);
});

it('takes a change back once if Undo is pressed twice', async () => {
  const history = [outage];
  const { user } = await open(history);
  let added = 0;
  server.use(
    http.delete(apiUrl(calls.item('outage')), () => {
      history.pop();
      return success({ id: 'outage' }, { etag: '"8"' });
    }),
    http.post(apiUrl(calls.create), () => {
      added += 1;
      if (added > 1) return problem(412, 'Somebody else has changed it');
      history.push(outage);
      return success(outage, { status: 201 });
    }),
  );
  await user.click(screen.getByRole('button', { name: /^Delete period/ }));
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  await screen.findByText('Period deleted');
  await user.dblClick(screen.getByRole('button', { name: 'Undo' }));
  expect(await screen.findByText('Period added again')).toBeInTheDocument();
  expect(added).toBe(1);
  expect(screen.queryByText('Somebody else has changed it')).not.toBeInTheDocument();
});
