import type {
  Instant,
  PublicComponent,
  PublicIncident,
  PublicMaintenance,
  StatusSnapshot,
} from '@/api/types';
import { withKnownOfIncident, withKnownOfMaintenance } from '@/api/truncated';
import type { LiveEvent } from '@/realtime/live-events';

/** What the page shows. The headline is left out: it is computed from the components. */
export type PageState = Omit<StatusSnapshot, 'banner'>;

/** What events change. */
export type Lists = Pick<PageState, 'components' | 'incidents' | 'maintenances'>;

/** The lists as they were read anew, at a moment. */
export type CaughtUp = Lists & Pick<PageState, 'generatedAt'>;

/**
 * The state after an event. An event that the state has in it already changes nothing for good: however many
 * of the last events come again, in their order, the state ends the same.
 */
export function applyEvent<State extends Lists>(state: State, event: LiveEvent): State {
  switch (event.name) {
    case 'new-component':
    case 'component-update':
      return withComponent(state, event.args[0], event.name === 'new-component');
    case 'component-deleted':
      return withoutComponent(state, event.args[0]);
    case 'new-incident':
      return { ...state, incidents: add(state.incidents, event.args[0], withKnownOfIncident) };
    case 'incident-updated':
      return { ...state, incidents: replace(state.incidents, event.args[0], withKnownOfIncident) };
    case 'incident-deleted':
      return { ...state, incidents: remove(state.incidents, event.args[0]) };
    case 'timeline-updated': {
      const [entry] = event.args;
      return changeIncident(state, entry.incidentId, (timeline) => add(timeline, entry));
    }
    case 'incident-timeline-deleted': {
      const [incidentId, entryId] = event.args;
      return changeIncident(state, incidentId, (timeline) => remove(timeline, entryId));
    }
    case 'new-maintenance':
      return {
        ...state,
        maintenances: add(state.maintenances, event.args[0], withKnownOfMaintenance),
      };
    case 'maintenance-updated':
      return {
        ...state,
        maintenances: replace(state.maintenances, event.args[0], withKnownOfMaintenance),
      };
    case 'maintenance-deleted':
      return { ...state, maintenances: remove(state.maintenances, event.args[0]) };
    case 'maintenance-timeline-updated': {
      const [entry] = event.args;
      return changeMaintenance(state, entry.maintenanceId, (timeline) => add(timeline, entry));
    }
    case 'maintenance-timeline-deleted': {
      const [maintenanceId, entryId] = event.args;
      return changeMaintenance(state, maintenanceId, (timeline) => remove(timeline, entryId));
    }
  }
}

interface Item {
  id: string;
  createdAt: Instant;
}

/** Completes what an event tells of an item with what is known of it. */
type Complete<T> = (told: T, known: T) => T;

/** On top; in its place when it is there already. */
function add<T extends Item>(items: readonly T[], item: T, complete?: Complete<T>): T[] {
  return has(items, item) ? replace(items, item, complete) : [item, ...items];
}

/** In its place. What is not shown, an incident that was over for long and is open again say, comes in by its age. */
function replace<T extends Item>(
  items: readonly T[],
  item: T,
  complete: Complete<T> = (told) => told,
): T[] {
  if (has(items, item)) return items.map((it) => (it.id === item.id ? complete(item, it) : it));
  const older = items.findIndex(({ createdAt }) => createdAt < item.createdAt);
  return items.toSpliced(older === -1 ? items.length : older, 0, item);
}

function remove<T extends Item>(items: readonly T[], id: string): T[] {
  return items.filter((it) => it.id !== id);
}

function has(items: readonly Item[], { id }: Item): boolean {
  return items.some((it) => it.id === id);
}

/** Incidents call a component by its name, so they take a new one. */
function withComponent<State extends Lists>(
  state: State,
  component: PublicComponent,
  isNew: boolean,
): State {
  const { id, name } = component;
  return {
    ...state,
    components: (isNew ? add : replace)(state.components, component),
    incidents: state.incidents.map((incident) => ({
      ...incident,
      components: incident.components.map((link) =>
        link.componentId === id ? { ...link, component: { id, name } } : link,
      ),
    })),
  };
}

function withoutComponent<State extends Lists>(state: State, id: string): State {
  return {
    ...state,
    components: remove(state.components, id),
    incidents: state.incidents.map((incident) => ({
      ...incident,
      components: incident.components.filter(({ componentId }) => componentId !== id),
    })),
  };
}

function changeIncident<State extends Lists>(
  state: State,
  id: string,
  change: (timeline: PublicIncident['IncidentTimeline']) => PublicIncident['IncidentTimeline'],
): State {
  const incidents = state.incidents.map((it) =>
    it.id === id ? { ...it, IncidentTimeline: change(it.IncidentTimeline) } : it,
  );
  return { ...state, incidents };
}

function changeMaintenance<State extends Lists>(
  state: State,
  id: string,
  change: (timeline: PublicMaintenance['timeline']) => PublicMaintenance['timeline'],
): State {
  const maintenances = state.maintenances.map((it) =>
    it.id === id ? { ...it, timeline: change(it.timeline) } : it,
  );
  return { ...state, maintenances };
}
