import type { PublicIncident, PublicMaintenance } from './types';

interface Item {
  id: string;
}

/** Rows of the operators' list have no components. */
type CachedIncident = Pick<PublicIncident, 'IncidentTimeline' | 'timelineTruncated'> &
  Partial<Pick<PublicIncident, 'components'>>;

/**
 * Completes an incident of an event. A large event leaves out older updates and some components; those that are
 * cached are kept.
 */
export function mergeTruncatedIncident<T extends PublicIncident>(
  received: T,
  cached: CachedIncident | undefined,
): T {
  if (cached === undefined) return received;
  let merged = received;
  if (received.timelineTruncated) {
    const IncidentTimeline = mergeEntries(received.IncidentTimeline, cached.IncidentTimeline);
    merged = { ...merged, IncidentTimeline, ...truncatedLike(cached) };
  }
  if (received.componentsTruncated) {
    const ids = new Set(received.components.map(({ componentId }) => componentId));
    const others = (cached.components ?? []).filter(({ componentId }) => !ids.has(componentId));
    merged = { ...merged, components: [...received.components, ...others] };
  }
  return merged;
}

/** Completes a maintenance of an event, like `mergeTruncatedIncident`. */
export function mergeTruncatedMaintenance<T extends PublicMaintenance>(
  received: T,
  cached: PublicMaintenance | undefined,
): T {
  if (cached === undefined || !received.timelineTruncated) return received;
  const timeline = mergeEntries(received.timeline, cached.timeline);
  return { ...received, timeline, ...truncatedLike(cached) };
}

/** The received entries are the newest, so other cached entries follow them. */
function mergeEntries<Entry extends Item>(
  received: readonly Entry[],
  cached: readonly Entry[],
): Entry[] {
  const ids = new Set(received.map(({ id }) => id));
  return [...received, ...cached.filter(({ id }) => !ids.has(id))];
}

/** A timeline that was complete before an event is complete after it. */
function truncatedLike({ timelineTruncated }: { timelineTruncated?: boolean }) {
  return { timelineTruncated: timelineTruncated ?? false };
}
