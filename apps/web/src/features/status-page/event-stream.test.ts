import { http, HttpResponse } from 'msw';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endpoints } from '@/paths';
import { success, apiUrl, problem, server, settled } from '@/testing/server';
import { followEventStream, type StateListener } from './event-stream';
import { followLater } from './follow-later';
import { aComponent, aSnapshot } from './fixtures';
import { FakeEventSource } from './fake-event-source';

const listener = {
  onEvent: vi.fn<StateListener['onEvent']>(),
  onState: vi.fn<StateListener['onState']>(),
  onConnected: vi.fn<StateListener['onConnected']>(),
};
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  vi.spyOn(Math, 'random').mockReturnValue(0);
  FakeEventSource.install();
  vi.clearAllMocks();
  stop = followEventStream('org-1', 7, listener);
});

afterEach(() => {
  stop();
  vi.useRealTimers();
});

const unchanged = () =>
  server.use(http.get(apiUrl(endpoints.status('org-1')), () => success(aSnapshot())));
const since = (revision: number) => `/api/v1/status/org-1/events?since=${revision}`;
/** Lets a time pass, and waits for the responses to the requests in it. */
async function pass(ms: number) {
  await vi.advanceTimersByTimeAsync(ms);
  await settled();
}

it('follows from the revision of the snapshot on', () => {
  expect(FakeEventSource.last.url).toBe(since(7));
  FakeEventSource.last.open();
  expect(listener.onConnected).toHaveBeenLastCalledWith(true);
  const component = aComponent({ status: 'DEGRADED' });
  FakeEventSource.last.send('component-update', [component], '8');
  expect(listener.onEvent).toHaveBeenCalledWith({ name: 'component-update', args: [component] });
});

it('ignores the events of a newer server that it does not know', () => {
  FakeEventSource.last.open();
  FakeEventSource.last.send('new-thing', [{ id: 't1' }], '8');
  expect(listener.onEvent).not.toHaveBeenCalled();
});

it('leaves a broken connection to the browser, which comes back by itself', async () => {
  FakeEventSource.last.open();
  FakeEventSource.last.break();
  expect(listener.onConnected).toHaveBeenLastCalledWith(false);
  await pass(40_000);
  FakeEventSource.last.break();
  await pass(40_000);
  expect(FakeEventSource.all).toHaveLength(1);
  FakeEventSource.last.open();
  expect(listener.onConnected).toHaveBeenLastCalledWith(true);
});

describe('when nothing arrives', () => {
  it('reports a lost connection after 50 seconds and opens another one', async () => {
    unchanged();
    FakeEventSource.last.open();
    await pass(49_999);
    expect(listener.onConnected).toHaveBeenLastCalledWith(true);
    await pass(1);
    expect(listener.onConnected).toHaveBeenLastCalledWith(false);
    await pass(1);
    expect(FakeEventSource.all.map(({ readyState }) => readyState)).toEqual([
      EventSource.CLOSED,
      EventSource.CONNECTING,
    ]);
    FakeEventSource.last.open();
    expect(listener.onConnected).toHaveBeenLastCalledWith(true);
  });

  it('keeps a connection with pings and events', async () => {
    FakeEventSource.last.open();
    for (let round = 0; round < 5; round += 1) {
      await pass(40_000);
      FakeEventSource.last.send('ping', []);
      await pass(40_000);
      FakeEventSource.last.send('component-deleted', ['x'], '8');
    }
    expect(FakeEventSource.all).toHaveLength(1);
    expect(listener.onConnected).toHaveBeenCalledExactlyOnceWith(true);
  });

  it('does not let viewers return all at once', async () => {
    vi.mocked(Math.random).mockReturnValue(1);
    FakeEventSource.last.open();
    await pass(59_999);
    expect(FakeEventSource.last.readyState).toBe(EventSource.OPEN);
    await pass(1);
    expect(FakeEventSource.last.readyState).toBe(EventSource.CLOSED);
  });

  it('opens another connection at once when a page returns after 25 seconds', async () => {
    unchanged();
    FakeEventSource.last.open();
    await pass(25_000);
    document.dispatchEvent(new Event('visibilitychange'));
    await pass(0);
    expect(FakeEventSource.all).toHaveLength(1);
    await pass(1);
    document.dispatchEvent(new Event('visibilitychange'));
    await pass(0);
    expect(FakeEventSource.all).toHaveLength(2);
  });

  it('requests the state again when no response arrives', async () => {
    let requests = 0;
    server.use(
      http.get(apiUrl(endpoints.status('org-1')), () => {
        requests += 1;
        return requests === 1 ? new Promise<never>(() => undefined) : success(aSnapshot());
      }),
    );
    FakeEventSource.last.open();
    for (const expected of [1, 2]) {
      await vi.advanceTimersByTimeAsync(50_001);
      await expect.poll(() => requests).toBe(expected);
    }
    await expect.poll(() => FakeEventSource.all).toHaveLength(2);
  });
});

it('does not wait for the browser when the network comes back', async () => {
  unchanged();
  window.dispatchEvent(new Event('online'));
  await pass(0);
  expect(FakeEventSource.all).toHaveLength(1);
  FakeEventSource.last.open();
  FakeEventSource.last.break();
  window.dispatchEvent(new Event('online'));
  await pass(0);
  expect(FakeEventSource.all.map(({ readyState }) => readyState)).toEqual([
    EventSource.CLOSED,
    EventSource.CONNECTING,
  ]);
});

describe('when the browser gives up', () => {
  it('goes on after the last event once the server is back', async () => {
    server.use(
      http.get(apiUrl(endpoints.status('org-1')), ({ request }) => {
        expect(new URL(request.url).search).toBe('?revision=9');
        return success(aSnapshot({ revision: 9 }));
      }),
    );
    FakeEventSource.last.open();
    FakeEventSource.last.send('component-deleted', ['x'], '9');
    FakeEventSource.last.giveUp();
    await pass(999);
    expect(FakeEventSource.all).toHaveLength(1);
    await pass(1);
    expect(FakeEventSource.all).toHaveLength(2);
    expect(FakeEventSource.last.url).toBe(since(9));
    expect(listener.onState).not.toHaveBeenCalled();
  });

  it('shows what changed in between', async () => {
    const snapshot = aSnapshot({ revision: 12 });
    server.use(http.get(apiUrl(endpoints.status('org-1')), () => success(snapshot)));
    FakeEventSource.last.giveUp();
    await pass(1000);
    expect(FakeEventSource.all).toHaveLength(2);
    expect(listener.onState).toHaveBeenCalledWith(snapshot);
    expect(FakeEventSource.last.url).toBe(since(12));
  });

  it('does not go back to an older state, unless it stays older for a minute', async () => {
    const restored = aSnapshot({ revision: 8 });
    server.use(http.get(apiUrl(endpoints.status('org-1')), () => success(restored)));
    FakeEventSource.last.open();
    FakeEventSource.last.send('component-deleted', ['x'], '9');
    FakeEventSource.last.giveUp();
    await pass(59_000);
    expect(listener.onState).not.toHaveBeenCalled();
    expect(listener.onConnected).toHaveBeenLastCalledWith(false);
    expect(FakeEventSource.all).toHaveLength(1);
    await pass(60_000);
    expect(listener.onState).toHaveBeenCalledExactlyOnceWith(restored);
    expect(FakeEventSource.last.url).toBe(since(8));
  });

  it('waits longer after each failure', async () => {
    let asked = 0;
    server.use(
      http.get(apiUrl(endpoints.status('org-1')), () => {
        asked += 1;
        return problem(503, 'Unavailable');
      }),
    );
    FakeEventSource.last.giveUp();
    for (const [index, delay] of [1000, 2000, 4000, 8000].entries()) {
      await pass(delay - 1);
      expect(asked).toBe(index);
      await pass(1);
      expect(asked).toBe(index + 1);
    }
  });

  it('waits between half a minute and its half in the end, another time than other viewers', async () => {
    let asked = 0;
    server.use(
      http.get(apiUrl(endpoints.status('org-1')), () => {
        asked += 1;
        return problem(503, 'Unavailable');
      }),
    );
    vi.mocked(Math.random).mockReturnValue(1);
    FakeEventSource.last.giveUp();
    for (const delay of [500, 1000, 2000, 4000, 8000, 15_000, 15_000]) await pass(delay);
    expect(asked).toBe(7);
    vi.mocked(Math.random).mockReturnValue(0);
    await pass(15_000);
    expect(asked).toBe(8);
    await pass(29_999);
    expect(asked).toBe(8);
    await pass(1);
    expect(asked).toBe(9);
  });

  it.each([
    ['the server is unavailable', () => problem(503, 'Unavailable')],
    ['a proxy finds no server', () => new HttpResponse('404 page not found', { status: 404 })],
  ])('stands by what it shows while %s', async (_, respond) => {
    server.use(http.get(apiUrl(endpoints.status('org-1')), respond));
    FakeEventSource.last.giveUp();
    await pass(1000);
    expect(listener.onConnected).toHaveBeenLastCalledWith(false);
    expect(listener.onState).not.toHaveBeenCalled();
  });

  it('loads the page again if the organisation is gone', async () => {
    const reload = vi.fn();
    vi.stubGlobal('location', { origin: window.location.origin, reload });
    server.use(http.get(apiUrl(endpoints.status('org-1')), () => problem(404, 'Not found')));
    FakeEventSource.last.giveUp();
    await pass(1000);
    expect(reload).toHaveBeenCalledOnce();
  });

  it('does not wait when the network comes back', async () => {
    unchanged();
    FakeEventSource.last.giveUp();
    window.dispatchEvent(new Event('online'));
    await pass(0);
    expect(FakeEventSource.all).toHaveLength(2);
  });
});

it('reads the state again at once after the first resync, and later after the next one', async () => {
  const snapshot = aSnapshot({ revision: 3 });
  const asked: string[] = [];
  server.use(
    http.get(apiUrl(endpoints.status('org-1')), ({ request }) => {
      asked.push(new URL(request.url).search);
      return success(snapshot);
    }),
  );
  FakeEventSource.last.open();
  FakeEventSource.last.send('resync', [], '2');
  expect(FakeEventSource.last.readyState).toBe(EventSource.CLOSED);
  await pass(0);
  expect(FakeEventSource.all).toHaveLength(2);
  expect(listener.onState).toHaveBeenCalledWith(snapshot);
  expect(FakeEventSource.last.url).toBe(since(3));
  FakeEventSource.last.open();
  FakeEventSource.last.send('resync', []);
  await pass(999);
  expect(FakeEventSource.all).toHaveLength(2);
  await pass(1);
  expect(FakeEventSource.all).toHaveLength(3);
  expect(asked).toEqual(['?revision=2', '?revision=3']);
});

it('stops when the last listener leaves', async () => {
  stop();
  expect(FakeEventSource.last.readyState).toBe(EventSource.CLOSED);
  window.dispatchEvent(new Event('online'));
  FakeEventSource.last.giveUp();
  await pass(60_000);
  expect(FakeEventSource.all).toHaveLength(1);
});

it('follows nothing for a page that was left before its way was known', async () => {
  const follow = vi.fn(() => vi.fn());
  followLater(() => Promise.resolve(follow))('org-1', 7, listener)();
  await pass(0);
  expect(follow).not.toHaveBeenCalled();
});

it('follows in the way that was found out, until the page is left', async () => {
  const leave = vi.fn();
  const follow = vi.fn(() => leave);
  const stopLater = followLater(() => Promise.resolve(follow))('org-1', 7, listener);
  await pass(0);
  expect(follow).toHaveBeenCalledExactlyOnceWith('org-1', 7, listener);
  stopLater();
  expect(leave).toHaveBeenCalledOnce();
});
