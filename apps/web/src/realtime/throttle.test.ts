import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { throttle } from './throttle';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('works at once, and once more after a burst', () => {
  const work = vi.fn();
  const ask = throttle(work, 2000);
  for (let call = 0; call < 50; call += 1) ask();
  expect(work).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1999);
  expect(work).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  expect(work).toHaveBeenCalledTimes(2);
});

it('forgets a call that waits', () => {
  const work = vi.fn();
  const ask = throttle(work, 2000);
  ask();
  ask();
  ask.cancel();
  vi.advanceTimersByTime(60_000);
  expect(work).toHaveBeenCalledTimes(1);
});

it('does not work again without another call', () => {
  const work = vi.fn();
  const ask = throttle(work, 2000);
  ask();
  vi.advanceTimersByTime(60_000);
  expect(work).toHaveBeenCalledTimes(1);
  ask();
  expect(work).toHaveBeenCalledTimes(2);
});
