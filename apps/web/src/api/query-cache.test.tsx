import { render } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import useSWR, { SWRConfig } from 'swr';
import useSWRInfinite from 'swr/infinite';
import { QueryCache, retainWhileMounted } from './query-cache';

const unusedTtlMs = 300_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the query cache', () => {
  it('removes an unused entry five minutes after it was written', () => {
    const cache = new QueryCache();
    cache.set('/a', { data: 1 });
    vi.advanceTimersByTime(unusedTtlMs - 1);
    expect(cache.get('/a')).toEqual({ data: 1 });
    vi.advanceTimersByTime(1);
    expect([...cache.keys()]).toEqual([]);
  });

  it('keeps an entry as long as one of its users is left, and five minutes longer', () => {
    const cache = new QueryCache();
    const first = cache.retain('/a');
    const second = cache.retain('/a');
    cache.set('/a', { data: 1 });
    vi.advanceTimersByTime(unusedTtlMs * 2);
    first();
    vi.advanceTimersByTime(unusedTtlMs * 2);
    expect(cache.get('/a')).toBeDefined();
    second();
    vi.advanceTimersByTime(unusedTtlMs - 1);
    expect(cache.get('/a')).toBeDefined();
    vi.advanceTimersByTime(1);
    expect(cache.get('/a')).toBeUndefined();
  });

  it('starts the five minutes again when the entry is used in between', () => {
    const cache = new QueryCache();
    cache.set('/a', { data: 1 });
    vi.advanceTimersByTime(unusedTtlMs - 1);
    cache.retain('/a')();
    vi.advanceTimersByTime(unusedTtlMs - 1);
    expect(cache.get('/a')).toBeDefined();
  });

  function Reader() {
    return useSWR<string>('/a', () => Promise.resolve('value')).data;
  }

  function PageReader() {
    const keyOf = (index: number) => `/a?page=${index}`;
    return useSWRInfinite<string>(keyOf, () => Promise.resolve('value')).data;
  }

  it.each([
    ['component', Reader, '/a', 'value'],
    ['component that reads pages', PageReader, '$inf$/a?page=0', ['value']],
  ])('counts a mounted %s as a user', async (_, Reader, key, data) => {
    const cache = new QueryCache();
    const { unmount } = render(
      <SWRConfig value={{ provider: () => cache, use: [retainWhileMounted(cache)] }}>
        <Reader />
      </SWRConfig>,
    );
    await vi.advanceTimersByTimeAsync(unusedTtlMs * 2);
    expect(cache.get(key)).toMatchObject({ data });
    unmount();
    await vi.advanceTimersByTimeAsync(unusedTtlMs);
    expect(cache.get(key)).toBeUndefined();
  });
});
