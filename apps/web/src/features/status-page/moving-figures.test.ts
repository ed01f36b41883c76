import { act, renderHook } from '@testing-library/react';
import { http } from 'msw';
import { beforeEach, expect, it, vi } from 'vitest';
import type { PublicUptime } from '@/api/types';
import { endpoints } from '@/paths';
import type { LiveEvent } from '@/realtime/live-events';
import { apiUrl, problem, server, settled, success } from '@/testing/server';
import type { Follow, StateListener } from './event-stream';
import { aComponent, aSnapshot } from './fixtures';
import { dayOf } from './moving-figures';
import { fetchSnapshot } from './snapshot';
import { useLive } from './use-live';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  vi.setSystemTime('2026-11-20T12:00:00.000Z');
  vi.spyOn(Math, 'random').mockReturnValue(0);
  return () => vi.useRealTimers();
});

const uptime = (major: number): PublicUptime => ({
  percentage: 99.99,
  days: [{ date: '2026-11-20', partial: 0, major, degraded: 0 }],
});

interface Followed {
  status?: 'OPERATIONAL' | 'MAJOR_OUTAGE';
  /** The time zone of the page, asked for each time the page is read. */
  timeZone?: () => string;
  /** The age of a response in milliseconds, by the clock of the viewer. */
  age?: number;
  isUnavailable?: () => boolean;
}

/** Follows a page, and records the reads of its state. */
function follow({
  status = 'OPERATIONAL',
  timeZone = () => 'Etc/UTC',
  age = 0,
  isUnavailable = () => false,
}: Followed) {
  const readings: string[] = [];
  const page = (major: number, generatedAt: string) =>
    aSnapshot({
      organisation: { ...aSnapshot().organisation, timeZone: timeZone() },
      components: [aComponent({ status, uptime: uptime(major) })],
      generatedAt,
    });
  server.use(
    http.get(apiUrl(endpoints.status('org-1')), ({ request }) => {
      readings.push(new URL(request.url).search);
      if (isUnavailable()) return problem(503, 'Unavailable');
      return success(page(readings.length * 60, new Date(Date.now() - age).toISOString()));
    }),
  );
  let listener: StateListener | undefined;
  const still: Follow = (...[, , it]) => {
    listener = it;
    return () => undefined;
  };
  const shown = page(0, '2026-11-20T12:00:00.000Z');
  const { result } = renderHook(() => useLive(shown, still, fetchSnapshot));
  const send = (event: LiveEvent) => act(() => listener?.onEvent(event));
  return { readings, send, state: () => result.current.state };
}

function pass(minutes: number) {
  act(() => {
    vi.advanceTimersByTime(minutes * 60_000);
  });
}

it('are read every minute while an outage lasts', async () => {
  const { readings, state } = follow({ status: 'MAJOR_OUTAGE' });
  for (const minute of [1, 2]) {
    pass(1);
    await expect.poll(() => state().components[0]?.uptime).toEqual(uptime(minute * 60));
  }
  expect(readings).toEqual(['', '']);
});

it('are read when a day begins in the time zone of the page, and not otherwise', async () => {
  const { readings, state } = follow({ timeZone: () => 'Asia/Tokyo' });
  pass(2 * 60 + 59);
  expect(readings).toEqual([]);
  pass(1);
  await expect.poll(() => state().generatedAt).toMatch(/T15:00:00/);
  pass(60);
  expect(readings).toEqual(['']);
});

it('are read soon after a change of the time zone, until the response has it', async () => {
  const zones = ['Etc/UTC', 'Etc/UTC'];
  const { readings, send, state } = follow({ timeZone: () => zones.shift() ?? 'Asia/Tokyo' });
  const { organisation } = aSnapshot();
  send({ name: 'organisation-updated', args: [{ ...organisation, timeZone: 'Asia/Tokyo' }] });
  for (const reading of [1, 2]) {
    await expect.poll(() => state().components[0]?.uptime).toEqual(uptime(reading * 60));
    pass(1);
  }
  await settled();
  expect(readings).toHaveLength(2);
});

it('are not read while the page is hidden, but once it is shown', async () => {
  const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  const { readings, state } = follow({ status: 'MAJOR_OUTAGE' });
  pass(60);
  await settled();
  expect(readings).toEqual([]);
  hidden.mockReturnValue(false);
  document.dispatchEvent(new Event('visibilitychange'));
  await expect.poll(() => state().components[0]?.uptime).toEqual(uptime(60));
  document.dispatchEvent(new Event('visibilitychange'));
  await settled();
  expect(readings).toHaveLength(1);
});

it('are of the days of UTC in a browser without the time zone of the page', () => {
  expect(dayOf('2026-11-20T23:30:00Z', 'Mars/Olympus')).toBe('2026-11-20');
});

it('are read again if the response is still of the day before', async () => {
  const { readings, state } = follow({ age: 90_000 });
  pass(12 * 60);
  await expect.poll(() => state().generatedAt).toMatch(/^2026-11-20T23:58:30/);
  pass(1);
  await expect.poll(() => state().generatedAt).toMatch(/^2026-11-20T23:59:30/);
  pass(1);
  await expect.poll(() => state().generatedAt).toMatch(/^2026-11-21T00:00:30/);
  pass(60);
  expect(readings).toHaveLength(3);
});

it('are read each minute for ten minutes, then each hour, if the clock is wrong by days', async () => {
  const { readings } = follow({ age: 3 * 24 * 3_600_000 });
  pass(12 * 60);
  for (const [minutes, expected] of [
    [9, 10],
    [49, 10],
    [1, 11],
    [60, 12],
  ] as const) {
    pass(minutes);
    await expect.poll(() => readings).toHaveLength(expected);
  }
});

it('are read each minute after midnight until the server responds', async () => {
  let failures = 15;
  const { readings, state } = follow({ isUnavailable: () => (failures -= 1) >= 0 });
  pass(12 * 60 - 1);
  for (let minute = 1; minute <= 16; minute += 1) {
    pass(1);
    await expect.poll(() => readings).toHaveLength(minute);
    await settled();
  }
  await expect.poll(() => state().generatedAt).toMatch(/^2026-11-21/);
});
