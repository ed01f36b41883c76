import type { PublicIncident, PublicMaintenance } from '@/api/types';
import { newestFirst } from './update-order';

/** Rows of the operators' list have no components. */
type CachedIncident = Pick<PublicIncident, 'IncidentTimeline' | 'timelineTruncated'> &
  Partial<Pick<PublicIncident, 'components'>>;

/**
 * Completes an incident of an event. A large event leaves out older updates and some
 * components; those that are cached are kept. A timeline that was complete before an event is
 * complete after it.
 */
export function mergeTruncatedIncident<T extends PublicIncident>(
  received: T,
  cached: CachedIncident,
): T {
  return {
    ...received,
    ...(received.timelineTruncated && {
      IncidentTimeline: newestFirst(
        merge(received.IncidentTimeline, cached.IncidentTimeline, 'id'),
      ),
      timelineTruncated: cached.timelineTruncated ?? false,
    }),
    ...(received.componentsTruncated && {
      components: merge(received.components, cached.components, 'componentId'),
    }),
  };
}

/** Completes a maintenance of an event, like `mergeTruncatedIncident`. */
export function mergeTruncatedMaintenance<T extends PublicMaintenance>(
  received: T,
  cached: PublicMaintenance,
): T {
  return {
    ...received,
    ...(received.timelineTruncated && {
      timeline: newestFirst(merge(received.timeline, cached.timeline, 'id')),
      timelineTruncated: cached.timelineTruncated ?? false,
    }),
    ...(received.componentsTruncated && {
      components: merge(received.components, cached.components, 'componentId'),
    }),
  };
}

function merge<Key extends string, Item extends Record<Key, string>>(
  received: readonly Item[],
  cached: readonly Item[] = [],
  key: Key,
): Item[] {
  const keys = new Set(received.map((item) => item[key]));
  return [...received, ...cached.filter((item) => !keys.has(item[key]))];
}
