import type { Instant } from '@/api/types';

/**
 * Sorts updates like the server: by the time at which they are displayed, then by identifier,
 * both descending.
 */
export function newestFirst<T extends { id: string; displayAt: Instant }>(
  updates: readonly T[],
): T[] {
  // All times have the same length.
  return updates.toSorted((one, other) =>
    one.displayAt + one.id < other.displayAt + other.id ? 1 : -1,
  );
}
