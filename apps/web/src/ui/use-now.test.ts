import { act, renderHook } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { readServerClock } from '@/api/server-clock';
import { useNow } from './use-now';

/** Receives a response that the server sends at this time. */
function receive(date: Date) {
  readServerClock(new Response(null, { headers: { Date: date.toUTCString() } }));
}

afterEach(() => {
  vi.useRealTimers();
  receive(new Date());
});

it('is the time by the clock of the server', () => {
  vi.useFakeTimers({ now: new Date('2026-12-01T22:00:00Z') });
  receive(new Date('2026-12-01T22:10:00Z'));
  const { result } = renderHook(() => useNow(15_000));
  expect(new Date(result.current).toISOString()).toBe('2026-12-01T22:10:00.000Z');
  act(() => void vi.advanceTimersByTime(15_000));
  expect(new Date(result.current).toISOString()).toBe('2026-12-01T22:10:15.000Z');
});
