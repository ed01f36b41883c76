import { describe, expect, it, vi } from 'vitest';
import type { Answer, ApiClient } from './client';
import { mostParts, readWhole } from './read-whole';

function answer<T>(data: T, next: string | null): Answer<T> {
  return { data, message: null, next, etag: '"1"' };
}

function clientOf(parts: Record<string, Answer<unknown>>) {
  const get = vi.fn((path: string) => Promise.resolve(parts[path]));
  return { get } as unknown as Pick<ApiClient, 'get'> & { get: typeof get };
}

describe('a list that is read as a whole', () => {
  it('is read part by part until the server has no more', async () => {
    const client = clientOf({
      '/component/list': answer([{ id: 'c' }, { id: 'b' }], 'b'),
      '/component/list?limit=500&before=b': answer([{ id: 'a' }], null),
    });
    const whole = await readWhole(client, '/component/list');
    expect(whole.data).toEqual([{ id: 'c' }, { id: 'b' }, { id: 'a' }]);
    expect(whole.next).toBeNull();
  });

  it('ends after a bound, and says that there are more', async () => {
    const client = { get: vi.fn(() => Promise.resolve(answer([{ id: 'x' }], 'x'))) };
    const whole = await readWhole(client as unknown as Pick<ApiClient, 'get'>, '/component/list');
    expect(client.get).toHaveBeenCalledTimes(mostParts);
    expect(whole.next).toBe('x');
  });

  it('is one part if the path asks for one, or if it is no list', async () => {
    const client = clientOf({
      '/component/list?limit=2': answer([{ id: 'c' }, { id: 'b' }], 'b'),
      '/component/c': answer({ id: 'c' }, null),
    });
    await readWhole(client, '/component/list?limit=2');
    await readWhole(client, '/component/c');
    expect(client.get).toHaveBeenCalledTimes(2);
  });
});
