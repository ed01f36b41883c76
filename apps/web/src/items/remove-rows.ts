import { ApiError } from '@/api/error';

/**
 * Removes rows by `send`, one request for all or none. Rows that another user has removed first
 * count as removed. Throws `ApiError`.
 */
export async function removeRows(
  ids: readonly string[],
  send: (ids: readonly string[]) => Promise<unknown>,
): Promise<void> {
  try {
    await send(ids);
  } catch (error) {
    const refused = refusedRows(error);
    if (refused.size === 0) throw error;
    const left = ids.filter((_, index) => !refused.has(index));
    if (left.length > 0) await send(left);
  }
}

/** Returns the places of the rows that the server does not know, in the list of the request. */
function refusedRows(error: unknown): Set<number> {
  const fields = error instanceof ApiError ? error.fieldErrors : [];
  const places = fields.map(({ field }) => /\[(\d+)\]$/.exec(field)?.[1]);
  return new Set(places.filter((place) => place !== undefined).map(Number));
}
