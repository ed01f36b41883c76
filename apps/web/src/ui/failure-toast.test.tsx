import { act, render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { ApiError } from '@/api/error';
import { dismissFailureToast, showFailureToast } from './failure-toast';
import { Toaster } from './toaster';

async function showFor(ms: number, error: unknown) {
  vi.useFakeTimers();
  render(<Toaster />);
  act(() => showFailureToast('The order was not saved', error));
  expect(screen.getByText('The order was not saved')).toBeInTheDocument();
  await act(() => vi.advanceTimersByTimeAsync(ms));
  await act(() => vi.advanceTimersByTimeAsync(200));
}

it.each([
  [409, 'A group is gone'],
  [429, 'Too many requests'],
])('shows the reason of a refusal until it is dismissed: %s', async (status, reason) => {
  await showFor(60_000, new ApiError(status, reason));
  expect(screen.getByText(reason)).toBeInTheDocument();
});

it('shows one reason at a time, and none once an action begins', async () => {
  const refusal = new ApiError(409, 'A group is gone');
  await showFor(0, refusal);
  const first = screen.getByText('A group is gone');
  act(() => showFailureToast('The order was not saved', refusal));
  await act(() => vi.advanceTimersByTimeAsync(200));
  expect(first).not.toBeInTheDocument();
  expect(screen.getByText('A group is gone')).toBeInTheDocument();
  act(dismissFailureToast);
  await act(() => vi.advanceTimersByTimeAsync(200));
  expect(screen.queryByText('A group is gone')).not.toBeInTheDocument();
});

it('shows a failure without a reason as long as other toasts', async () => {
  await showFor(4000, new TypeError('Failed to fetch'));
  expect(screen.queryByText('The order was not saved')).not.toBeInTheDocument();
});
