import type { ApiClient } from '@/api/client';
import { ApiError } from '@/api/error';
import { withChanged, withChangedBy, withNew, without, type ListChange } from '@/api/list-changes';
import type {
  Component,
  IncidentEntry,
  Instant,
  MaintenanceEntry,
  PublicComponent,
  PublicIncident,
  PublicMaintenance,
} from '@/api/types';
import { withKnownOfIncident, withKnownOfMaintenance } from '@/api/truncated';
import { calls } from '@/paths';
import type { Update } from '@/updates/timeline';
import type { Follower } from './connection';
import type { LiveEvent } from './live-events';

const { components, incidents, maintenances } = calls;

/** What has to be read anew after events were missed: the lists, and what is shown of one item on its screen. */
const lists = [components.list, incidents.list, maintenances.list];
const belonging = /^\/(component|incident|maintenance)\//;

const attachedComponents = /^\/incident\/[^/]+\/components\/list$/;
const unattachedComponents = /^\/incident\/[^/]+\/components\/unattached$/;

/** What is known of the operator's lists, and what can be done to them. */
export interface ListStore {
  api: Pick<ApiClient, 'get'>;
  /** The rows of a list that is read as a whole; undefined where they are not known. */
  rows: (path: string) => readonly { id: string }[] | undefined;
  /** The paths of the lists that are read as a whole and match. */
  known: (paths: RegExp) => string[];
  change: <T>(path: string, change: ListChange<T>) => void;
  /** Asks anew for what matches and is on screen. */
  refresh: (paths: RegExp) => void;
  readAnew: (lists: readonly string[], belongs: RegExp) => Promise<void>;
}

interface Attached {
  componentId: string;
  component: { id: string; name: string };
}

type Incident = PublicIncident & { updatedAt: Instant };
type Maintenance = PublicMaintenance & { updatedAt: Instant };

/** Keeps the operator's lists in step with what the socket tells. */
export class ListNews implements Follower {
  readonly #store: ListStore;
  /** Told while the lists were being read anew: they may be older than it. */
  #held: LiveEvent[] | null = null;
  #readings = 0;
  /** Entries that were deleted, one of which may still be on its way here. */
  readonly #gone = new Set<string>();

  constructor(store: ListStore) {
    this.#store = store;
  }

  joined(): void {
    void this.#catchUp();
  }

  tell(event: LiveEvent): void {
    if (this.#held) this.#held.push(event);
    else this.#apply(event);
  }

  async #catchUp(): Promise<void> {
    this.#held ??= [];
    this.#readings += 1;
    const reading = this.#readings;
    await this.#store.readAnew(lists, belonging);
    // A later reading brings them instead.
    if (reading !== this.#readings) return;
    const held = this.#held;
    this.#held = null;
    held.forEach((event) => this.#apply(event));
  }

  #apply(event: LiveEvent): void {
    const { change } = this.#store;
    switch (event.name) {
      case 'new-component': {
        const [told] = event.args;
        change<Component>(components.list, withTold(told, { ...told, updatedAt: told.createdAt }));
        this.#store.refresh(unattachedComponents);
        break;
      }
      case 'component-update':
        change<Component>(components.list, withChanged(event.args[0]));
        this.#renameAttached(event.args[0]);
        break;
      case 'component-deleted':
        change<Component>(components.list, without(event.args[0]));
        this.#removeAttached(event.args[0]);
        break;
      case 'new-incident': {
        const [told] = event.args;
        change<Incident>(incidents.list, withTold(told, { ...told, updatedAt: told.createdAt }));
        break;
      }
      case 'incident-updated': {
        const [told] = event.args;
        const complete = (known: Incident) => withKnownOfIncident(told, known);
        change<Incident>(incidents.list, withChangedBy(told.id, complete));
        this.#replaceAttached(told);
        break;
      }
      case 'incident-deleted':
        change<Incident>(incidents.list, without(event.args[0]));
        break;
      case 'timeline-updated': {
        const [{ incidentId, ...entry }] = event.args;
        void this.#bring(
          incidents.updates(incidentId),
          incidents.update(incidentId, entry.id),
          entry,
        );
        break;
      }
      case 'incident-timeline-deleted':
        this.#removeEntry(incidents.updates(event.args[0]), event.args[1]);
        break;
      case 'new-maintenance': {
        const [told] = event.args;
        const item = { ...told, updatedAt: told.createdAt };
        change<Maintenance>(maintenances.list, withTold(told, item));
        break;
      }
      case 'maintenance-updated': {
        const [told] = event.args;
        const complete = (known: Maintenance) => withKnownOfMaintenance(told, known);
        change<Maintenance>(maintenances.list, withChangedBy(told.id, complete));
        break;
      }
      case 'maintenance-deleted':
        change<Maintenance>(maintenances.list, without(event.args[0]));
        break;
      case 'maintenance-timeline-updated': {
        const [{ maintenanceId, ...entry }] = event.args;
        const { updates, update } = maintenances;
        void this.#bring(updates(maintenanceId), update(maintenanceId, entry.id), entry);
        break;
      }
      case 'maintenance-timeline-deleted':
        this.#removeEntry(maintenances.updates(event.args[0]), event.args[1]);
        break;
    }
  }

  /** Brings an entry into a table of updates. Who recorded it is not public, so one that is new there is asked for. */
  async #bring(
    list: string,
    item: string,
    entry: Omit<IncidentEntry, 'incidentId'> | Omit<MaintenanceEntry, 'maintenanceId'>,
  ): Promise<void> {
    const { api, rows, change } = this.#store;
    const isNew = rows(list)?.every(({ id }) => id !== entry.id) ?? false;
    if (!isNew) {
      change<Update>(list, withChanged(entry));
      return;
    }
    try {
      const { data } = await api.get<Update>(item);
      if (!this.#gone.has(data.id)) change<Update>(list, withNew(data));
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) console.error(error);
    }
  }

  #removeEntry(list: string, id: string): void {
    this.#gone.add(id);
    this.#store.change<Update>(list, without(id));
  }

  #replaceAttached({ id, components: links, componentsTruncated }: PublicIncident): void {
    if (componentsTruncated) {
      this.#store.refresh(attachedComponents);
      this.#store.refresh(unattachedComponents);
      return;
    }
    this.#changeAttached(incidents.components(id), (shown) =>
      links.map((link) => {
        const known = shown.find(({ componentId }) => componentId === link.componentId);
        return { ...known, ...link, component: { ...known?.component, ...link.component } };
      }),
    );
    this.#store.refresh(unattachedComponents);
  }

  #renameAttached({ id, name, status }: PublicComponent): void {
    for (const path of this.#store.known(attachedComponents)) {
      this.#changeAttached(path, (shown) =>
        shown.map((link) =>
          link.componentId === id
            ? { ...link, component: { ...link.component, name, status } }
            : link,
        ),
      );
    }
    this.#store.refresh(unattachedComponents);
  }

  #removeAttached(id: string): void {
    for (const path of this.#store.known(attachedComponents)) {
      this.#changeAttached(path, (shown) => shown.filter(({ componentId }) => componentId !== id));
    }
    this.#store.refresh(unattachedComponents);
  }

  #changeAttached(path: string, change: (shown: Attached[]) => Attached[]): void {
    this.#store.change<Attached>(path, (pages) => pages.map(change));
  }
}

/** Puts `item` on top; where it is there already, it takes what was told. */
function withTold<T extends { id: string }>(
  told: Partial<NoInfer<T>> & { id: string },
  item: T,
): ListChange<T> {
  return (pages) => {
    const isKnown = pages.some((page) => page.some(({ id }) => id === told.id));
    return (isKnown ? withChanged<T>(told) : withNew(item))(pages);
  };
}
