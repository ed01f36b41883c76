import type { Answer, ApiClient } from './client';

/** The most parts that are read of one list: 20 times 500 items. */
export const mostParts = 20;

/**
 * Reads `path`. The server sends a list in parts, the newest 500 first: unless the path asks for one part by `limit`, the
 * parts that follow are read too, up to `mostParts`; `next` of the answer says whether there are still more.
 */
export async function readWhole(
  client: Pick<ApiClient, 'get'>,
  path: string,
): Promise<Answer<unknown>> {
  const first = await client.get<unknown>(path);
  if (path.includes('?') || !Array.isArray(first.data)) return first;
  const items: unknown[] = [...(first.data as unknown[])];
  let { next } = first;
  for (let parts = 1; next !== null && parts < mostParts; parts += 1) {
    const part = await client.get<unknown[]>(
      `${path}?limit=500&before=${encodeURIComponent(next)}`,
    );
    items.push(...part.data);
    next = part.next;
  }
  return { ...first, data: items, next };
}
