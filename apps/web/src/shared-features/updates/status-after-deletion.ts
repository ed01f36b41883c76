import type { Instant, IncidentStatus, Update } from '@/api/types';

/** The current state of an incident, which takes the status of its updates. */
export interface IncidentState {
  status: IncidentStatus;
  /** Null or absent unless it is resolved. */
  resolvedAt?: Instant | null | undefined;
}

/**
 * Returns the status that an incident gets by the deletion of updates, like the server; null if it
 * keeps its own. `updates` are all of its updates, newest first.
 */
export function statusAfterDeletion(
  { status, resolvedAt }: IncidentState,
  updates: readonly Update[],
  deleted: readonly Update[],
): IncidentStatus | null {
  const isDeleted = ({ id }: Update) => deleted.some((update) => update.id === id);
  const newest = updates[0];
  const left = updates.find((update) => !isDeleted(update));
  if (newest === undefined || left === undefined || !isDeleted(newest)) return null;
  // An update that was recorded after the resolution, and is displayed before it, never changes
  // the status.
  const isPast = ({ displayAt, createdAt }: Update) =>
    Boolean(resolvedAt && displayAt < resolvedAt && resolvedAt <= createdAt);
  const isResolution = newest.status === 'RESOLVED' && newest.displayAt === resolvedAt;
  if (isPast(newest) || (!isResolution && isPast(left)) || left.status === status) return null;
  return left.status;
}
