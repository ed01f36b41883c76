import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from './error';
import { backoffMs, withRetries } from './retry';
import { SharedRetries } from './shared-retries';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('withRetries', () => {
  it('waits one, two and four seconds, and fails after the third retry', async () => {
    const failure = new ApiError(503, 'The database is unavailable');
    const ask = vi.fn(() => Promise.reject(failure));
    const outcome = expect(withRetries(ask)).rejects.toBe(failure);

    await vi.advanceTimersByTimeAsync(999);
    expect(ask).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(ask).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(2000);
    expect(ask).toHaveBeenCalledTimes(3);
    await vi.advanceTimersByTimeAsync(4000);
    expect(ask).toHaveBeenCalledTimes(4);
    await outcome;
    await vi.runAllTimersAsync();
    expect(ask).toHaveBeenCalledTimes(4);
  });

  it('never waits longer than half a minute', () => {
    expect([1, 2, 5, 6, 20].map(backoffMs)).toEqual([1000, 2000, 16_000, 30_000, 30_000]);
  });

  it('resolves as soon as a retry succeeds', async () => {
    const ask = vi.fn(() => Promise.resolve('here')).mockRejectedValueOnce(ApiError.unreachable());
    const asked = withRetries(ask);
    await vi.advanceTimersByTimeAsync(1000);
    await expect(asked).resolves.toBe('here');
  });

  it('repeats a request whose response was cut off', async () => {
    const cutOff = new ApiError(200, 'The server sent a response that cannot be read.');
    const ask = vi.fn(() => Promise.resolve('here')).mockRejectedValueOnce(cutOff);
    const asked = withRetries(ask);
    await vi.advanceTimersByTimeAsync(1000);
    await expect(asked).resolves.toBe('here');
  });

  it('waits as long as the server asks for, and fails at once if that is long', async () => {
    const busy = (seconds: number) => new ApiError(429, 'Too many requests', [], seconds);
    const ask = vi.fn(() => Promise.resolve('here')).mockRejectedValueOnce(busy(5));
    const asked = withRetries(ask);
    await vi.advanceTimersByTimeAsync(4999);
    expect(ask).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    await expect(asked).resolves.toBe('here');

    const refuse = vi.fn(() => Promise.reject(busy(11)));
    await expect(withRetries(refuse)).rejects.toThrow('Too many requests');
    expect(refuse).toHaveBeenCalledTimes(1);
  });

  it('does not repeat what would be refused again', async () => {
    const ask = vi.fn(() => Promise.reject(new ApiError(404, 'No such component')));
    await expect(withRetries(ask)).rejects.toThrow('No such component');
    expect(ask).toHaveBeenCalledTimes(1);
  });
});

describe('SharedRetries', () => {
  const failure = new ApiError(503, 'The database is unavailable');

  it('has one series of four attempts, whenever others ask for the same', async () => {
    const retries = new SharedRetries();
    const request = vi.fn(() => Promise.reject(failure));
    const outcomes = [retries.ask('/list', request), retries.ask('/list', request)];
    await vi.advanceTimersByTimeAsync(1500);
    outcomes.push(retries.ask('/list', request));
    const settled = Promise.allSettled(outcomes);
    await vi.runAllTimersAsync();
    expect(request).toHaveBeenCalledTimes(4);
    expect((await settled).map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
    const later = expect(retries.ask('/list', request)).rejects.toBe(failure);
    await vi.runAllTimersAsync();
    expect(request).toHaveBeenCalledTimes(8);
    await later;
  });

  it('returns no response that may be older than the request', async () => {
    const retries = new SharedRetries();
    const responses = ['old', 'new'];
    const request = vi.fn(async () => {
      const response = responses.shift() ?? 'none';
      await new Promise((resolve) => setTimeout(resolve, 100));
      return response;
    });
    const first = retries.ask('/list', request);
    await vi.advanceTimersByTimeAsync(50);
    const later = [retries.ask('/list', request), retries.ask('/list', request)];
    await vi.runAllTimersAsync();
    expect(await first).toBe('old');
    expect(await Promise.all(later)).toEqual(['new', 'new']);
    expect(request).toHaveBeenCalledTimes(2);
  });

  it('keeps different questions apart', async () => {
    const retries = new SharedRetries();
    const asked = await Promise.all(
      ['/a', '/b'].map((path) => retries.ask(path, () => Promise.resolve(path))),
    );
    expect(asked).toEqual(['/a', '/b']);
  });
});
