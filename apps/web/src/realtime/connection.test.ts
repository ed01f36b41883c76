import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { notifyReachable } from '@/api/reachable';
import { FakeSocket } from '@/testing/fake-socket';
import { hold } from '@/testing/server';
import { Connection, type SocketStatus } from './connection';
import type { LiveEvent } from './live-events';

let connection: Connection;
let stop: () => void;
let token: string | null;
/** What a token waits for. */
let tokenReady: Promise<void>;
let asked: boolean[];
let statuses: SocketStatus[];
let received: (string | LiveEvent)[];
let errors: unknown[];

beforeEach(async () => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  errors = [];
  vi.spyOn(console, 'error').mockImplementation((error) => errors.push(error));
  token = 'first';
  tokenReady = Promise.resolve();
  asked = [];
  statuses = [];
  received = [];
  connection = new Connection('org-1', (options) => {
    asked.push(options?.skipCache ?? false);
    return tokenReady.then(() => token);
  });
  connection.subscribe(() => statuses.push(connection.getStatus()));
  connection.listen({
    onJoined: (revision) => received.push(`joined at ${revision}`),
    onEvent: (event) => received.push(event),
    onLost: () => received.push('lost'),
    onEnded: () => received.push('ended'),
  });
  stop = connection.start();
  await settle();
});

afterEach(() => {
  stop();
  vi.useRealTimers();
});

/** Handles what has been sent, without letting time pass. */
const settle = () => vi.advanceTimersByTimeAsync(0);

describe('connecting', () => {
  it('connects when it is started, with the path and delays of the specification', () => {
    expect(FakeSocket.last.io.opts).toMatchObject({
      path: '/socket.io',
      autoConnect: false,
      reconnectionAttempts: 5,
      reconnectionDelay: 1000,
      reconnectionDelayMax: 5000,
      randomizationFactor: 0.5,
      timeout: 20_000,
    });
    expect(FakeSocket.last.attempts).toBe(1);
  });

  it('is connecting, connected, and disconnected when it is stopped', async () => {
    await FakeSocket.last.join();
    stop();
    expect(statuses).toEqual(['connecting', 'connected', 'disconnected']);
    expect(FakeSocket.last.connected).toBe(false);
  });

  it('carries the token in CONNECT and in the header of the handshake', async () => {
    await FakeSocket.last.accept();
    expect(FakeSocket.last.payloads).toEqual([{ token: 'first' }]);
    expect(FakeSocket.last.io.opts.extraHeaders).toEqual({ authorization: 'Bearer first' });
  });

  it('joins the room of its organisation', async () => {
    await FakeSocket.last.accept();
    expect(FakeSocket.last.pending).toEqual([['join', 'org-1']]);
    FakeSocket.last.acknowledge('join', { revision: 7 });
    expect(received).toEqual(['joined at 7']);
  });

  it('does not connect without a signed-in user', async () => {
    stop();
    token = null;
    stop = connection.start();
    await settle();
    expect(connection.getStatus()).toBe('disconnected');
    expect(FakeSocket.last.attempts).toBe(0);
    expect(received).toEqual(['ended']);
  });
});

describe('events', () => {
  it('are delivered as they arrive, with their arguments', async () => {
    await FakeSocket.last.join();
    FakeSocket.last.fire('component-deleted', 'c1');
    FakeSocket.last.fire('incident-timeline-deleted', 'i1', 'e1');
    expect(received.slice(1)).toEqual([
      { name: 'component-deleted', args: ['c1'] },
      { name: 'incident-timeline-deleted', args: ['i1', 'e1'] },
    ]);
  });

  it('are delivered to a later listener too, with a notice that some may be missing', async () => {
    await FakeSocket.last.join(3);
    const joined = vi.fn();
    connection.listen({ onJoined: joined, onEvent: vi.fn() });
    expect(joined).toHaveBeenCalledExactlyOnceWith(null);
  });

  it('come in their place around a list that was asked for', async () => {
    await FakeSocket.last.join();
    const order: unknown[] = [];
    connection.listen({ onJoined: vi.fn(), onEvent: ({ name }) => order.push(name) });
    const read = connection.read('get-components', (list) => order.push(list));
    FakeSocket.last.fire('component-deleted', 'c1');
    FakeSocket.last.acknowledge('get-components', []);
    FakeSocket.last.fire('incident-deleted', 'i1');
    await read;
    expect(order).toEqual(['component-deleted', [], 'incident-deleted']);
  });

  it('rejects a read with the reason of the server', async () => {
    await FakeSocket.last.join();
    const read = connection.read('get-incidents', vi.fn());
    FakeSocket.last.acknowledge('get-incidents', { message: 'Organisation not found' });
    await expect(read).rejects.toThrow('Organisation not found');
  });
});

describe('a lost connection', () => {
  it('is disconnected, connecting and connected again, and joins again with a fresh token', async () => {
    await FakeSocket.last.join(1);
    statuses = [];
    FakeSocket.last.lose();
    token = 'second';
    FakeSocket.last.io.fire('reconnect_attempt', 1);
    await FakeSocket.last.join(9);
    expect(statuses).toEqual(['disconnected', 'connecting', 'connected']);
    expect(FakeSocket.last.payloads.at(-1)).toEqual({ token: 'second' });
    expect(received).toEqual(['joined at 1', 'lost', 'joined at 9']);
  });

  it('is disconnected after a failed attempt, which is logged to the console', () => {
    statuses = [];
    FakeSocket.last.fail();
    FakeSocket.last.io.fire('reconnect_attempt', 1);
    expect(statuses).toEqual(['disconnected', 'connecting']);
    expect(errors).toEqual([new Error('xhr poll error')]);
  });

  it('has failed to reconnect when the attempts are exhausted', () => {
    FakeSocket.last.fail();
    FakeSocket.last.io.fire('reconnect_failed');
    expect(connection.getStatus()).toBe('reconnect_failed');
    expect(received).toEqual(['ended']);
  });

  it('is tried again by hand, when the network returns and when the page is looked at', async () => {
    for (const wake of [
      connection.reconnect,
      () => window.dispatchEvent(new Event('online')),
      () => document.dispatchEvent(new Event('visibilitychange')),
    ]) {
      FakeSocket.last.io.fire('reconnect_failed');
      const { attempts } = FakeSocket.last;
      wake();
      await settle();
      expect(connection.getStatus()).toBe('connecting');
      expect(FakeSocket.last.attempts).toBe(attempts + 1);
    }
  });

  it('is tried again every half a minute after the attempts are exhausted', async () => {
    for (let round = 1; round <= 3; round += 1) {
      FakeSocket.last.io.fire('reconnect_failed');
      await vi.advanceTimersByTimeAsync(29_999);
      expect(FakeSocket.last.attempts).toBe(round);
      await vi.advanceTimersByTimeAsync(1);
      expect(FakeSocket.last.attempts).toBe(round + 1);
      expect(connection.getStatus()).toBe('connecting');
    }
    await FakeSocket.last.join();
    expect(connection.getStatus()).toBe('connected');
  });

  it('is tried again at other times than those of other operators', async () => {
    vi.mocked(Math.random).mockReturnValue(0);
    FakeSocket.last.io.fire('reconnect_failed');
    await vi.advanceTimersByTimeAsync(15_000);
    expect(FakeSocket.last.attempts).toBe(2);
  });

  it('is tried again as soon as the API responds', async () => {
    FakeSocket.last.io.fire('reconnect_failed');
    notifyReachable();
    await settle();
    expect(FakeSocket.last.attempts).toBe(2);
    notifyReachable();
    await settle();
    expect(FakeSocket.last.attempts).toBe(2);
  });

  it('is not tried again after it was stopped', async () => {
    FakeSocket.last.io.fire('reconnect_failed');
    stop();
    notifyReachable();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(FakeSocket.last.attempts).toBe(1);
  });

  it('says since when it is lost, from the last attempt until it has joined again', async () => {
    await FakeSocket.last.join();
    const lostAt = Date.now();
    FakeSocket.last.lose();
    expect(connection.getNotLiveSince()).toBeNull();
    await vi.advanceTimersByTimeAsync(20_000);
    FakeSocket.last.io.fire('reconnect_failed');
    expect(connection.getNotLiveSince()).toBe(lostAt);
    await vi.advanceTimersByTimeAsync(30_000);
    FakeSocket.last.io.fire('reconnect_failed');
    expect(connection.getNotLiveSince()).toBe(lostAt);
    const notified = vi.fn();
    connection.subscribe(notified);
    await FakeSocket.last.accept();
    expect(connection.getNotLiveSince()).toBe(lostAt);
    notified.mockClear();
    FakeSocket.last.acknowledge('join', { revision: 9 });
    expect(connection.getNotLiveSince()).toBeNull();
    expect(notified).toHaveBeenCalledOnce();
  });

  it('is left alone while it stands', async () => {
    await FakeSocket.last.join();
    window.dispatchEvent(new Event('online'));
    await settle();
    expect(FakeSocket.last.attempts).toBe(1);
  });
});

describe('a device that wakes', () => {
  /** Lets time pass without timers, as while a device sleeps. */
  async function sleep(ms: number) {
    vi.setSystemTime(Date.now() + ms);
    window.dispatchEvent(new Event('online'));
    await settle();
  }

  it('replaces a connection that has missed a ping', async () => {
    await FakeSocket.last.join();
    await sleep(30_001);
    expect(FakeSocket.last.attempts).toBe(2);
    expect(connection.getStatus()).toBe('connecting');
    await FakeSocket.last.join(9);
    expect(received).toEqual(['joined at 1', 'lost', 'joined at 9']);
  });

  it('keeps a connection whose last ping is not too old', async () => {
    await FakeSocket.last.join();
    vi.setSystemTime(Date.now() + 25_000);
    FakeSocket.last.io.fire('ping');
    await sleep(30_000);
    expect(FakeSocket.last.attempts).toBe(1);
    expect(connection.getStatus()).toBe('connected');
  });

  it('expects pings at the interval of the handshake', async () => {
    FakeSocket.last.io.engine.fire('handshake', { pingInterval: 60_000 });
    await FakeSocket.last.join();
    await sleep(65_000);
    expect(FakeSocket.last.attempts).toBe(1);
    await sleep(1);
    expect(FakeSocket.last.attempts).toBe(2);
  });
});

describe('a refusal', () => {
  it('is tried again with another token, five times, ever later', async () => {
    FakeSocket.last.refuse('The token is not valid');
    expect(connection.getStatus()).toBe('disconnected');
    for (const delay of [1000, 2000, 4000, 5000, 5000]) {
      await vi.advanceTimersByTimeAsync(delay - 1);
      expect(connection.getStatus()).toBe('disconnected');
      await vi.advanceTimersByTimeAsync(1);
      expect(connection.getStatus()).toBe('connecting');
      expect(asked.at(-1)).toBe(true);
      FakeSocket.last.refuse('The token is not valid');
    }
    expect(connection.getStatus()).toBe('reconnect_failed');
    expect(errors).toHaveLength(6);
  });

  it('of the room is one too', async () => {
    await FakeSocket.last.accept();
    FakeSocket.last.acknowledge('join', { message: 'Organisation not found' });
    expect(connection.getStatus()).toBe('disconnected');
    expect(errors).toEqual([new Error('Organisation not found')]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(FakeSocket.last.attempts).toBe(2);
  });
});

describe('revoked access', () => {
  it('ends the connection when there is no other token', async () => {
    await FakeSocket.last.join();
    token = null;
    FakeSocket.last.revoke();
    expect(connection.getStatus()).toBe('disconnected');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(connection.getStatus()).toBe('disconnected');
    expect(FakeSocket.last.attempts).toBe(1);
    expect(asked.at(-1)).toBe(true);
    expect(received).toEqual(['joined at 1', 'lost', 'ended']);
    expect(errors).toEqual([]);
  });

  it('is access again with a token that gives it', async () => {
    await FakeSocket.last.join();
    token = 'second';
    FakeSocket.last.revoke();
    await vi.advanceTimersByTimeAsync(1000);
    await FakeSocket.last.join();
    expect(connection.getStatus()).toBe('connected');
    expect(FakeSocket.last.payloads.at(-1)).toEqual({ token: 'second' });
  });
});

describe('the token', () => {
  it('is renewed as soon as there is a newer one, and only then', async () => {
    await FakeSocket.last.join();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(FakeSocket.last.pending).toEqual([]);
    token = 'second';
    await vi.advanceTimersByTimeAsync(10_000);
    expect(FakeSocket.last.pending).toEqual([['authenticate', 'second']]);
    FakeSocket.last.acknowledge('authenticate', { expiresAt: '2026-11-20T12:05:00.000Z' });
    await vi.advanceTimersByTimeAsync(30_000);
    expect(FakeSocket.last.pending).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('is sent once if the connection is replaced while the token is requested', async () => {
    const { held, release } = hold();
    tokenReady = held;
    void FakeSocket.last.open();
    FakeSocket.last.lose();
    void FakeSocket.last.open();
    void FakeSocket.last.open();
    release();
    await settle();
    expect(FakeSocket.last.payloads).toEqual([{ token: 'first' }]);
  });

  it('is not sent after its connection was lost', async () => {
    const { held, release } = hold();
    tokenReady = held;
    void FakeSocket.last.open();
    FakeSocket.last.lose();
    release();
    await settle();
    expect(FakeSocket.last.payloads).toEqual([]);
  });

  it('is sent again if the server has not acknowledged it', async () => {
    await FakeSocket.last.join();
    token = 'second';
    await vi.advanceTimersByTimeAsync(10_000);
    FakeSocket.last.acknowledge('authenticate', { message: 'Unavailable' });
    await vi.advanceTimersByTimeAsync(30_000);
    expect(FakeSocket.last.pending).toEqual([['authenticate', 'second']]);
  });

  it('is renewed at a ping, when the timers of a hidden page sleep', async () => {
    await FakeSocket.last.join();
    token = 'second';
    FakeSocket.last.io.fire('ping');
    await settle();
    expect(FakeSocket.last.pending).toEqual([['authenticate', 'second']]);
  });

  it('that the server refuses is only logged to the console', async () => {
    await FakeSocket.last.join();
    token = 'second';
    await vi.advanceTimersByTimeAsync(10_000);
    FakeSocket.last.acknowledge('authenticate', { message: 'Another session' });
    await settle();
    expect(errors).toEqual([new Error('Another session')]);
    expect(connection.getStatus()).toBe('connected');
  });
});
