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
    const components = mergeComponents(received.components, cached.components);
    merged = { ...merged, components };
  }
  return merged;
}

/** Completes a maintenance of an event, like `mergeTruncatedIncident`. */
export function mergeTruncatedMaintenance<T extends PublicMaintenance>(
  received: T,
  cached: PublicMaintenance | undefined,
): T {
  if (cached === undefined) return received;
  let merged = received;
  if (received.timelineTruncated) {
    const timeline = mergeEntries(received.timeline, cached.timeline);
    merged = { ...merged, timeline, ...truncatedLike(cached) };
  }
  if (received.componentsTruncated) {
    const components = mergeComponents(received.components, cached.components);
    merged = { ...merged, components };
  }
  return merged;
}

function mergeComponents<Affected extends { componentId: string }>(
  received: readonly Affected[],
  cached: readonly Affected[] = [],
): Affected[] {
  const ids = new Set(received.map(({ componentId }) => componentId));
  return [...received, ...cached.filter(({ componentId }) => !ids.has(componentId))];
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
