import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { usePolling } from './use-polling';

const intervalMs = 1000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A read that ends when `finish` is called. */
function heldRead() {
  let finish: () => void = () => undefined;
  const read = vi.fn(() => new Promise<void>((resolve) => (finish = resolve)));
  return { read, finish: () => finish() };
}

const tick = () => act(() => vi.advanceTimersByTimeAsync(intervalMs));

it('skips a tick while the previous read runs', async () => {
  const { read, finish } = heldRead();
  renderHook(() => usePolling(read, intervalMs));
  await tick();
  await tick();
  expect(read).toHaveBeenCalledTimes(1);
  finish();
  await tick();
  expect(read).toHaveBeenCalledTimes(2);
});

it('skips a tick while a read of another interval runs', async () => {
  const { read } = heldRead();
  const { rerender } = renderHook(({ ms }) => usePolling(read, ms), {
    initialProps: { ms: intervalMs },
  });
  await tick();
  rerender({ ms: intervalMs / 2 });
  await tick();
  expect(read).toHaveBeenCalledTimes(1);
});

it('reads only while the page is visible', async () => {
  const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  const read = vi.fn(() => Promise.resolve());
  renderHook(() => usePolling(read, intervalMs));
  await tick();
  expect(read).not.toHaveBeenCalled();
  visibility.mockReturnValue('visible');
  await tick();
  expect(read).toHaveBeenCalledTimes(1);
});
