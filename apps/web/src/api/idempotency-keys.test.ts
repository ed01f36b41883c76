import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ApiError } from './error';
import { IdempotencyKeys } from './idempotency-keys';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Sends a create whose response is lost. Returns its key. */
async function lose(keys: IdempotencyKeys, content: string): Promise<string> {
  let used = '';
  const lost = keys.send(content, (key) => {
    used = key;
    return Promise.reject(ApiError.unreachable());
  });
  await expect(lost).rejects.toMatchObject({ status: 0 });
  return used;
}

it('forgets an attempt after a quarter of an hour without another one', async () => {
  const keys = new IdempotencyKeys();
  const first = await lose(keys, 'Still investigating');
  vi.advanceTimersByTime(14 * 60_000);
  expect(await lose(keys, 'Still investigating')).toBe(first);
  vi.advanceTimersByTime(14 * 60_000);
  expect(await lose(keys, 'Still investigating')).toBe(first);
  vi.advanceTimersByTime(16 * 60_000);
  expect(await lose(keys, 'Still investigating')).not.toBe(first);
});

it('remembers the last 20 attempts', async () => {
  const keys = new IdempotencyKeys();
  const [first, second] = [await lose(keys, '1'), await lose(keys, '2')];
  for (let content = 3; content <= 20; content += 1) await lose(keys, String(content));
  expect(await lose(keys, '1')).toBe(first);
  await lose(keys, '21');
  expect(await lose(keys, '1')).toBe(first);
  expect(await lose(keys, '2')).not.toBe(second);
});

it('gives one key to equal requests that run at the same time', async () => {
  const keys = new IdempotencyKeys();
  const used: string[] = [];
  const send = (key: string) => {
    used.push(key);
    return Promise.resolve();
  };
  await Promise.all([keys.send('a', send), keys.send('a', send)]);
  expect(used[1]).toBe(used[0]);
});

it('needs nothing that browsers have only in secure contexts', async () => {
  vi.stubGlobal('crypto', {
    getRandomValues: (bytes: Uint8Array) => bytes.fill(0xab),
  });
  const key = await lose(new IdempotencyKeys(), 'a');
  vi.unstubAllGlobals();
  expect(key).toBe('abababab-abab-4bab-abab-abababababab');
});
