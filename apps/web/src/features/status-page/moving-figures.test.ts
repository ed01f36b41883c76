import { act, renderHook } from '@testing-library/react';
import { http } from 'msw';
import { beforeEach, expect, it, vi } from 'vitest';
import type { PublicUptime } from '@/api/types';
import { endpoints } from '@/paths';
import { apiUrl, server, success } from '@/testing/server';
import { aComponent, aSnapshot } from './fixtures';
import { useLive } from './use-live';

const still = () => () => undefined;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  vi.setSystemTime('2026-11-20T12:00:00.000Z');
  return () => vi.useRealTimers();
});

const uptime = (major: number): PublicUptime => ({
  percentage: 99.99,
  days: [{ date: '2026-11-20', partial: 0, major, degraded: 0 }],
});

/** Follows a page, and records the reads of its state. */
function follow(status: 'OPERATIONAL' | 'MAJOR_OUTAGE', timeZone = 'Etc/UTC') {
  const readings: (string | null)[] = [];
  const page = (major: number, generatedAt: string) =>
    aSnapshot({
      organisation: { ...aSnapshot().organisation, timeZone },
      components: [aComponent({ status, uptime: uptime(major) })],
      generatedAt,
    });
  server.use(
    http.get(apiUrl(endpoints.status('org-1')), ({ request }) => {
      readings.push(request.headers.get('If-None-Match'));
      return success(page(readings.length * 60, new Date().toISOString()));
    }),
  );
  const { result } = renderHook(() => useLive(page(0, '2026-11-20T12:00:00.000Z'), still));
  return { readings, state: () => result.current.state };
}

function pass(minutes: number) {
  act(() => {
    vi.advanceTimersByTime(minutes * 60_000);
  });
}

it('are read every minute while an outage lasts', async () => {
  const { readings, state } = follow('MAJOR_OUTAGE');
  for (const minute of [1, 2]) {
    pass(1);
    await vi.waitFor(() => expect(state().components[0]?.uptime).toEqual(uptime(minute * 60)));
  }
  expect(readings).toEqual([null, null]);
});

it('are read when a day begins in the time zone of the page, and not otherwise', async () => {
  const { readings, state } = follow('OPERATIONAL', 'Asia/Tokyo');
  pass(2 * 60 + 59);
  expect(readings).toEqual([]);
  pass(1);
  await vi.waitFor(() => expect(state().generatedAt).toMatch(/T15:00:00/));
  pass(60);
  expect(readings).toEqual([null]);
});
