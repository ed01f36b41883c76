import { http } from 'msw';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Connection } from '@/realtime/connection';
import { endpoints } from '@/paths';
import { FakeSocket } from '@/testing/fake-socket';
import { apiUrl, server, success } from '@/testing/server';
import type { StateListener } from './event-stream';
import { FakeEventSource } from './fake-event-source';
import { aComponent, aGroup, anIncident, aSnapshot } from './fixtures';
import { followSocket } from './follow-socket';

const listener = {
  onEvent: vi.fn(),
  onState: vi.fn(),
  onConnected: vi.fn(),
} satisfies StateListener;
let stop: () => void;
let token: string | null;

beforeEach(async () => {
  FakeEventSource.install();
  vi.resetAllMocks();
  server.use(
    http.get(apiUrl(endpoints.status('org-1')), () => success(aSnapshot({ revision: 9 }))),
  );
  token = 'a token';
  const follow = followSocket((orgId) => {
    const connection = new Connection(orgId, () => Promise.resolve(token));
    return { connection, close: connection.start() };
  });
  stop = follow('org-1', 7, listener);
  await expect.poll(() => FakeSocket.all.length).toBe(1);
});

afterEach(() => stop());

/** Acknowledges the requests for the three lists, and waits until the listener is notified. */
async function acknowledgeLists(components = [aComponent()], incidents = [anIncident()]) {
  FakeSocket.last.acknowledge('get-components', components);
  FakeSocket.last.acknowledge('get-incidents', incidents);
  FakeSocket.last.acknowledge('get-maintenances', []);
  await expect.poll(() => listener.onConnected).toHaveBeenLastCalledWith(true);
}

describe('the first connection', () => {
  it('is live at once when the page is as new as the room', async () => {
    await FakeSocket.last.join(7);
    expect(listener.onConnected).toHaveBeenLastCalledWith(true);
    expect(FakeSocket.last.pending).toEqual([]);
    expect(FakeEventSource.all).toEqual([]);
  });

  it('reads the three lists when something has happened since', async () => {
    await FakeSocket.last.join(8);
    expect(FakeSocket.last.pending).toEqual([
      ['get-components', 'org-1'],
      ['get-incidents', 'org-1'],
      ['get-maintenances', 'org-1'],
    ]);
    expect(listener.onConnected).not.toHaveBeenCalled();
    await acknowledgeLists();
    expect(listener.onState).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({
        components: [aComponent()],
        incidents: [anIncident()],
        maintenances: [],
      }),
    );
  });

  it('takes the time of the state from the clock of the server', async () => {
    const generatedAt = '2001-01-01T00:00:00.000Z';
    server.use(
      http.get(apiUrl(endpoints.status('org-1')), () =>
        success(aSnapshot({ revision: 8, generatedAt })),
      ),
    );
    await FakeSocket.last.join(8);
    await acknowledgeLists();
    expect(listener.onState).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ generatedAt }),
    );
  });

  it('loses no event between the responses', async () => {
    await FakeSocket.last.join(8);
    FakeSocket.last.acknowledge('get-components', [aComponent()]);
    FakeSocket.last.fire('component-update', aComponent({ status: 'DEGRADED' }));
    FakeSocket.last.fire('new-incident', anIncident({ id: 'in the list that follows' }));
    FakeSocket.last.acknowledge('get-incidents', [anIncident()]);
    FakeSocket.last.acknowledge('get-maintenances', []);
    await expect.poll(() => listener.onState).toHaveBeenCalled();
    expect(listener.onState).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({
        components: [aComponent({ status: 'DEGRADED' })],
        incidents: [anIncident()],
      }),
    );
    expect(listener.onEvent).toHaveBeenCalledTimes(2);
  });
});

it('reads groups and their order from the snapshot, and applies events that arrive meanwhile', async () => {
  const groups = [aGroup({ id: 'g1' }), aGroup({ id: 'g2', position: 2 })];
  const components = [
    aComponent({ id: 'c1', groupId: 'g1' }),
    aComponent({ id: 'c2', groupId: 'g2' }),
  ];
  let respond: () => void = () => undefined;
  const late = new Promise<void>((resolve) => {
    respond = resolve;
  });
  server.use(
    http.get(apiUrl(endpoints.status('org-1')), async () => {
      await late;
      return success(aSnapshot({ revision: 8, groups, components }));
    }),
  );
  await FakeSocket.last.join(8);
  FakeSocket.last.acknowledge('get-components', components);
  FakeSocket.last.acknowledge('get-incidents', []);
  FakeSocket.last.acknowledge('get-maintenances', []);
  const order = [
    { id: 'g2', components: ['c2', 'c1'] },
    { id: 'g1', components: [] },
  ];
  FakeSocket.last.fire('component-order-updated', { groups: order });
  respond();
  await expect.poll(() => listener.onState).toHaveBeenCalled();
  expect(listener.onState).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ groups, order, components }),
  );
});

it('reports a lost connection, and reads again after it', async () => {
  await FakeSocket.last.join(7);
  FakeSocket.last.lose();
  expect(listener.onConnected).toHaveBeenLastCalledWith(false);
  FakeSocket.last.io.fire('reconnect_attempt', 1);
  await FakeSocket.last.join(9);
  await acknowledgeLists();
  expect(listener.onState).toHaveBeenCalledOnce();
});

it('asks nothing after a lost connection when nothing has happened', async () => {
  await FakeSocket.last.join(7);
  FakeSocket.last.lose();
  await FakeSocket.last.join(7);
  expect(FakeSocket.last.pending).toEqual([]);
  expect(listener.onConnected).toHaveBeenLastCalledWith(true);
});

it('repeats an interrupted read', async () => {
  await FakeSocket.last.join(8);
  FakeSocket.last.acknowledge('get-components', []);
  FakeSocket.last.lose();
  await FakeSocket.last.join(9);
  await acknowledgeLists();
  expect(listener.onState).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ components: [aComponent()] }),
  );
});

describe('the event stream takes over', () => {
  const takesOver = async (since = 7) => {
    await expect.poll(() => FakeEventSource.all.length).toBe(1);
    expect(FakeEventSource.last.url).toBe(`/api/v1/status/org-1/events?since=${since}`);
    FakeEventSource.last.open();
    expect(listener.onConnected).toHaveBeenLastCalledWith(true);
    expect(FakeSocket.last.connected).toBe(false);
  };

  it('when the attempts to reconnect are exhausted', async () => {
    FakeSocket.last.io.fire('reconnect_failed');
    await takesOver();
  });

  it('after the revision that the lists were read at', async () => {
    await FakeSocket.last.join(9);
    await acknowledgeLists();
    FakeSocket.last.io.fire('reconnect_failed');
    await takesOver(9);
  });

  it('when the visitor has signed out', async () => {
    await FakeSocket.last.join(7);
    vi.useFakeTimers();
    token = null;
    FakeSocket.last.revoke();
    await vi.advanceTimersByTimeAsync(1500);
    vi.useRealTimers();
    await takesOver();
  });

  it('when the socket rejects the request for a list', async () => {
    vi.spyOn(console, 'error').mockReturnValue();
    await FakeSocket.last.join(8);
    FakeSocket.last.acknowledge('get-components', { message: 'Organisation not found' });
    await takesOver();
  });

  it('when the state is older than the room, so that no later event would complete it', async () => {
    vi.spyOn(console, 'error').mockReturnValue();
    server.use(
      http.get(apiUrl(endpoints.status('org-1')), () => success(aSnapshot({ revision: 8 }))),
    );
    await FakeSocket.last.join(9);
    FakeSocket.last.acknowledge('get-components', []);
    FakeSocket.last.acknowledge('get-incidents', []);
    FakeSocket.last.acknowledge('get-maintenances', []);
    await takesOver();
    expect(listener.onState).not.toHaveBeenCalled();
  });

  it('and ends with the page', async () => {
    FakeSocket.last.io.fire('reconnect_failed');
    await takesOver();
    stop();
    expect(FakeEventSource.last.readyState).toBe(FakeEventSource.CLOSED);
  });
});
