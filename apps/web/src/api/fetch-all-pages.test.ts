import { describe, expect, it, vi } from 'vitest';
import type { ApiResponse, ApiClient } from './client';
import { maxPages, fetchAllPages } from './fetch-all-pages';

function page<T>(data: T, next: string | null): ApiResponse<T> {
  return { data, message: null, next, etag: '"1"' };
}

function clientOf(parts: Record<string, ApiResponse<unknown>>) {
  const get = vi.fn((path: string) => Promise.resolve(parts[path]));
  return { get } as unknown as Pick<ApiClient, 'get'> & { get: typeof get };
}

describe('a list that is read as a whole', () => {
  it('is read part by part until the server has no more', async () => {
    const client = clientOf({
      '/component/list': page([{ id: 'c' }, { id: 'b' }], 'b'),
      '/component/list?limit=500&before=b': page([{ id: 'a' }], null),
    });
    const whole = await fetchAllPages(client, '/component/list');
    expect(whole.data).toEqual([{ id: 'c' }, { id: 'b' }, { id: 'a' }]);
    expect(whole.next).toBeNull();
  });

  it('ends after a bound, and says that there are more', async () => {
    const client = { get: vi.fn(() => Promise.resolve(page([{ id: 'x' }], 'x'))) };
    const whole = await fetchAllPages(
      client as unknown as Pick<ApiClient, 'get'>,
      '/component/list',
    );
    expect(client.get).toHaveBeenCalledTimes(maxPages);
    expect(whole.next).toBe('x');
  });

  it('begins with a request without a query, which has the newest 500', async () => {
    const client = clientOf({ '/component/list': page([{ id: 'c' }], 'c') });
    const first = await fetchAllPages(client, '/component/list?limit=500');
    expect(first.next).toBe('c');
    expect(client.get).toHaveBeenCalledTimes(1);
  });

  it('is one part if the path asks for one, or if it is no list', async () => {
    const client = clientOf({
      '/component/list?limit=2': page([{ id: 'c' }, { id: 'b' }], 'b'),
      '/component/c': page({ id: 'c' }, null),
    });
    await fetchAllPages(client, '/component/list?limit=2');
    await fetchAllPages(client, '/component/c');
    expect(client.get).toHaveBeenCalledTimes(2);
  });
});
