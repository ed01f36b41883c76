import type {
  Instant,
  PublicComponent,
  PublicIncident,
  PublicMaintenance,
  StatusSnapshot,
} from '@/api/types';
import { mergeTruncatedIncident, mergeTruncatedMaintenance } from '@/page-rules/truncated';
import { newestFirst } from '@/page-rules/update-order';
import type { LiveEvent } from '@/realtime/live-events';
import {
  insertComponent,
  insertGroup,
  removeComponent,
  removeGroup,
  replaceOrder,
  type PageOrder,
} from '@/page-rules/order';

/** What the page shows, without the headline, which is computed from the components. */
export type PageState = Omit<StatusSnapshot, 'banner'> & {
  /**
   * Where groups and components are. What they say themselves of group and position may be older.
   */
  order: PageOrder;
};

/** The part that events change. */
export type Lists = Pick<
  PageState,
  'groups' | 'components' | 'order' | 'incidents' | 'maintenances'
>;

/** The lists as the server had them at a moment. */
export type CurrentLists = Lists & Pick<PageState, 'organisation' | 'generatedAt'>;

/**
 * Returns the state after an event. Replaying the latest events in their order, whether or not the
 * state already contains them, ends in the same state.
 */
export function applyEvent<State extends Lists>(state: State, event: LiveEvent): State {
  switch (event.name) {
    case 'new-component':
    case 'component-update':
      return withComponent(state, event.args[0], event.name === 'new-component');
    case 'component-deleted':
      return withoutComponent(state, event.args[0]);
    case 'new-incident':
    case 'incident-updated': {
      const isNew = event.name === 'new-incident';
      return {
        ...state,
        incidents: put(state.incidents, event.args[0], isNew, mergeTruncatedIncident),
      };
    }
    case 'incident-deleted':
      return { ...state, incidents: remove(state.incidents, event.args[0]) };
    case 'timeline-updated': {
      const [entry] = event.args;
      return changeIncident(state, entry.incidentId, (timeline) => put(timeline, entry, true));
    }
    case 'incident-timeline-deleted': {
      const [incidentId, entryId] = event.args;
      return changeIncident(state, incidentId, (timeline) => remove(timeline, entryId));
    }
    case 'new-maintenance':
    case 'maintenance-updated': {
      const isNew = event.name === 'new-maintenance';
      return {
        ...state,
        maintenances: put(state.maintenances, event.args[0], isNew, mergeTruncatedMaintenance),
      };
    }
    case 'maintenance-deleted':
      return { ...state, maintenances: remove(state.maintenances, event.args[0]) };
    case 'maintenance-timeline-updated': {
      const [entry] = event.args;
      return changeMaintenance(state, entry.maintenanceId, (timeline) =>
        put(timeline, entry, true),
      );
    }
    case 'maintenance-timeline-deleted': {
      const [maintenanceId, entryId] = event.args;
      return changeMaintenance(state, maintenanceId, (timeline) => remove(timeline, entryId));
    }
    case 'new-component-group':
    case 'component-group-update': {
      const [group] = event.args;
      return {
        ...state,
        groups: put(state.groups, group, true),
        order: insertGroup(state.order, group.id),
      };
    }
    case 'component-group-deleted': {
      const [id] = event.args;
      return { ...state, groups: remove(state.groups, id), order: removeGroup(state.order, id) };
    }
    case 'component-order-updated':
      return { ...state, order: replaceOrder(state.order, event.args[0].groups) };
    case 'organisation-updated':
      return { ...state, organisation: event.args[0] };
  }
}

/** Number of past incidents, and of past maintenances, that the server shows. */
export const pastShown = 50;
/** How long the server shows an incident or a maintenance after its end. */
const shownAfterEndMs = 14 * 86_400_000;

/**
 * Removes the past items that the server would not show at `now`: those that ended more than 14
 * days ago, and all but the `most` that ended last. Lists without such items stay the same objects,
 * so that the uptime bars are not computed again.
 */
export function limitPast(state: PageState, now: Instant, most = pastShown): PageState {
  const since = new Date(Date.parse(now) - shownAfterEndMs).toISOString();
  return {
    ...state,
    incidents: newest(state.incidents, since, most, ({ resolvedAt }) => resolvedAt ?? now),
    // When a maintenance without an end was cancelled is not known.
    maintenances: newest(state.maintenances, since, most, ({ endAt }) => endAt ?? now),
  };
}

type WithStatus = Pick<PublicIncident | PublicMaintenance, 'status'>;

export function isOver({ status }: WithStatus): boolean {
  return status === 'RESOLVED' || status === 'COMPLETED' || status === 'CANCELLED';
}

function newest<T extends WithStatus>(
  items: T[],
  since: Instant,
  most: number,
  end: (item: T) => Instant,
): T[] {
  const ends = items
    .filter(isOver)
    .map(end)
    .filter((it) => it >= since);
  const first = ends.sort().at(-most) ?? since;
  const shown = items.filter((item) => !isOver(item) || end(item) >= first);
  return shown.length < items.length ? shown : items;
}

interface Item {
  id: string;
  createdAt: Instant;
}

/** Completes the item of an event by the one on the page. */
type Complete<T> = (received: T, shown: T) => T;

/**
 * Replaces an item in its place. One that is not shown is added: on top if it is new, otherwise by
 * age, such as an old incident that is open again.
 */
function put<T extends Item>(
  items: readonly T[],
  item: T,
  isNew: boolean,
  complete: Complete<T> = (received) => received,
): T[] {
  if (items.some(({ id }) => id === item.id)) {
    return items.map((it) => (it.id === item.id ? complete(item, it) : it));
  }
  const older = isNew ? 0 : items.findIndex(({ createdAt }) => createdAt < item.createdAt);
  return items.toSpliced(older === -1 ? items.length : older, 0, item);
}

function remove<T extends Item>(items: readonly T[], id: string): T[] {
  return items.filter((it) => it.id !== id);
}

interface NamedLink {
  componentId: string;
  component: { name: string };
}

function withComponent<State extends Lists>(
  state: State,
  component: PublicComponent,
  isNew: boolean,
): State {
  const { id, name, groupId } = component;
  const isRenamed = (link: NamedLink) => link.componentId === id && link.component.name !== name;
  /** In what affects it; the same list if nothing there has another name. */
  const rename = <Item extends { components: NamedLink[] }>(items: Item[]): Item[] =>
    items.some((item) => item.components.some(isRenamed))
      ? items.map((item) => ({
          ...item,
          components: item.components.map((link) =>
            isRenamed(link) ? { ...link, component: { ...link.component, name } } : link,
          ),
        }))
      : items;
  return {
    ...state,
    components: put(state.components, component, isNew),
    order: insertComponent(state.order, id, groupId),
    incidents: rename(state.incidents),
    maintenances: rename(state.maintenances),
  };
}

/** Incidents and maintenances keep the name of a deleted component. */
function withoutComponent<State extends Lists>(state: State, id: string): State {
  return {
    ...state,
    components: remove(state.components, id),
    order: removeComponent(state.order, id),
  };
}

function changeIncident<State extends Lists>(
  state: State,
  id: string,
  change: (timeline: PublicIncident['IncidentTimeline']) => PublicIncident['IncidentTimeline'],
): State {
  const incidents = state.incidents.map((it) =>
    it.id === id ? { ...it, IncidentTimeline: newestFirst(change(it.IncidentTimeline)) } : it,
  );
  return { ...state, incidents };
}

function changeMaintenance<State extends Lists>(
  state: State,
  id: string,
  change: (timeline: PublicMaintenance['timeline']) => PublicMaintenance['timeline'],
): State {
  const maintenances = state.maintenances.map((it) =>
    it.id === id ? { ...it, timeline: newestFirst(change(it.timeline)) } : it,
  );
  return { ...state, maintenances };
}
