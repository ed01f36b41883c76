import type { ApiResponse, ApiClient } from './client';

/** Items of a page: the server's maximum. */
export const pageSize = 500;

/** Maximum number of pages of a list that is read as a whole. */
export const maxPages = 20;

/** Asks for the newest items, which the server sends anyway. */
const firstPart = new RegExp(`\\?limit=${pageSize}$`);

/**
 * Reads `path`. The server sends a list in parts of `pageSize`, the newest first. Unless the path
 * asks for one part by `limit`, the parts that follow are read too, up to `maxPages`. `next` of the
 * response says whether there are more.
 */
export async function fetchAllPages(
  client: Pick<ApiClient, 'get'>,
  path: string,
): Promise<ApiResponse<unknown>> {
  const first = await client.get<unknown>(path.replace(firstPart, ''));
  if (path.includes('?') || !Array.isArray(first.data)) return first;
  const items: unknown[] = [...(first.data as unknown[])];
  let { next } = first;
  for (let parts = 1; next !== null && parts < maxPages; parts += 1) {
    const part = await client.get<unknown[]>(
      `${path}?limit=${pageSize}&before=${encodeURIComponent(next)}`,
    );
    items.push(...part.data);
    next = part.next;
  }
  return { ...first, data: items, next };
}
