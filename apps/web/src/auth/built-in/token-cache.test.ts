import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TokenCache } from './token-cache';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/**
 * Issues `token-1`, `token-2`, …, each of five minutes by a clock that is ahead of ours
 * by `skewMs`.
 */
function issuer(skewMs = 0) {
  let issued = 0;
  return vi.fn(() => {
    issued += 1;
    const expiresAt = new Date(Date.now() + skewMs + 300_000).toISOString();
    return Promise.resolve({ token: `token-${issued}`, expiresAt });
  });
}

it('makes one request however many ask at once', async () => {
  const ask = issuer();
  const tokens = new TokenCache(ask);
  const responses = await Promise.all([
    tokens.get(),
    tokens.get({ skipCache: true }),
    tokens.get(),
  ]);
  expect(responses).toEqual(['token-1', 'token-1', 'token-1']);
  expect(ask).toHaveBeenCalledTimes(1);
});

it('asks for a new token before the old one ends', async () => {
  const tokens = new TokenCache(issuer());
  await tokens.get();
  vi.advanceTimersByTime(4 * 60_000);
  expect(await tokens.get()).toBe('token-1');
  vi.advanceTimersByTime(31_000);
  expect(await tokens.get()).toBe('token-2');
});

it.each([
  ['ahead', 3_600_000],
  ['behind', -3_600_000],
])(
  'holds a token neither for ever nor for nothing when the server is %s of us',
  async (_, skew) => {
    const ask = issuer(skew);
    const tokens = new TokenCache(ask);
    await tokens.get();
    vi.advanceTimersByTime(30_000);
    await tokens.get();
    expect(ask).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(5 * 60_000);
    await tokens.get();
    expect(ask).toHaveBeenCalledTimes(2);
  },
);

it('requests a new token when the cached one was refused', async () => {
  const tokens = new TokenCache(issuer());
  await tokens.get();
  expect(await tokens.get({ skipCache: true })).toBe('token-2');
  expect(await tokens.get()).toBe('token-2');
});

it('does not keep a token that was requested before `forget`', async () => {
  const tokens = new TokenCache(issuer());
  const before = tokens.get();
  tokens.forget();
  expect(await before).toBe('token-1');
  expect(await tokens.get()).toBe('token-2');
});

it('asks again after a request that failed', async () => {
  const ask = issuer().mockRejectedValueOnce(new Error('unavailable'));
  const tokens = new TokenCache(ask);
  await expect(tokens.get()).rejects.toThrow('unavailable');
  expect(await tokens.get()).toBe('token-1');
});
