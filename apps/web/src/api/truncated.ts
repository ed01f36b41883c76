import type { PublicIncident, PublicMaintenance } from './types';

interface Item {
  id: string;
}

/** The rows of the operators' list have no components. */
type KnownIncident = Pick<PublicIncident, 'IncidentTimeline' | 'timelineTruncated'> &
  Partial<Pick<PublicIncident, 'components'>>;

/**
 * An incident as an event tells it, with what the event left out for its size: older updates, and components, that are
 * known already. `known` is the same incident as it was known before the event.
 */
export function withKnownOfIncident<T extends PublicIncident>(
  told: T,
  known: KnownIncident | undefined,
): T {
  if (known === undefined) return told;
  let whole = told;
  if (told.timelineTruncated) {
    const IncidentTimeline = merged(told.IncidentTimeline, known.IncidentTimeline);
    whole = { ...whole, IncidentTimeline, ...truncatedAs(known) };
  }
  if (told.componentsTruncated) {
    const ids = new Set(told.components.map(({ componentId }) => componentId));
    const others = (known.components ?? []).filter(({ componentId }) => !ids.has(componentId));
    whole = { ...whole, components: [...told.components, ...others] };
  }
  return whole;
}

/** The same for a maintenance. */
export function withKnownOfMaintenance<T extends PublicMaintenance>(
  told: T,
  known: PublicMaintenance | undefined,
): T {
  if (known === undefined || !told.timelineTruncated) return told;
  return { ...told, timeline: merged(told.timeline, known.timeline), ...truncatedAs(known) };
}

/** What is told are the newest entries, so what is known beside them is older. */
function merged<Entry extends Item>(told: readonly Entry[], known: readonly Entry[]): Entry[] {
  const ids = new Set(told.map(({ id }) => id));
  return [...told, ...known.filter(({ id }) => !ids.has(id))];
}

/** A timeline that was whole before an event is whole after it. */
function truncatedAs({ timelineTruncated }: { timelineTruncated?: boolean }) {
  return { timelineTruncated: timelineTruncated ?? false };
}
