import { act, renderHook } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { useCopy } from './use-copy';

beforeEach(() => {
  // Gives jsdom a clipboard.
  userEvent.setup();
  vi.useFakeTimers();
});

function render() {
  const { result, rerender } = renderHook(({ text }) => useCopy(text), {
    initialProps: { text: 'one' },
  });
  const copy = () =>
    act(async () => {
      await result.current.copy();
    });
  return { result, rerender, copy };
}

it('says for two seconds after each copy that the text was copied', async () => {
  const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  const { result, copy } = render();
  for (const press of [1, 2]) {
    await copy();
    expect(write).toHaveBeenCalledTimes(press);
    act(() => void vi.advanceTimersByTime(1999));
    expect(result.current.isCopied).toBe(true);
    act(() => void vi.advanceTimersByTime(1));
    expect(result.current.isCopied).toBeUndefined();
  }
});

it('says nothing of another text', async () => {
  vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  const { result, rerender, copy } = render();
  await copy();
  rerender({ text: 'two' });
  expect(result.current.isCopied).toBeUndefined();
});

it('says until the next copy that the browser forbids it', async () => {
  const write = vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('No'));
  const { result, copy } = render();
  await copy();
  act(() => void vi.advanceTimersByTime(60_000));
  expect(result.current.isCopied).toBe(false);
  write.mockResolvedValue();
  await copy();
  expect(result.current.isCopied).toBe(true);
});
