import { useEffect } from 'react';
import { useApi } from '@/api/api-provider';
import type { ApiClient } from '@/api/client';
import { isNotFound } from '@/api/error';
import { useListCache, type ListCache } from '@/api/list-cache';
import { addItem, addOrPatchItem, patchItem, patchItemBy, removeItem } from '@/api/list-changes';
import { maxWaitingChanges } from '@/api/query-cache';
import { withRetries } from '@/api/retry';
import type {
  Component,
  ComponentGroup,
  Incident,
  IncidentEntry,
  Instant,
  Maintenance,
  MaintenanceEntry,
  PublicComponent,
  PublicIncident,
  Update,
} from '@/api/types';
import { mergeTruncatedIncident, mergeTruncatedMaintenance } from '@/page-rules/truncated';
import { newestFirst } from '@/page-rules/update-order';
import { endpoints } from '@/paths';
import { placeComponents, placeGroups } from './component-order';
import type { Connection, ConnectionListener } from './connection';
import type { LiveEvent } from './live-events';
import { throttle } from './throttle';

const { components, componentGroups, incidents, maintenances } = endpoints;

/** What is read again after events were missed: the lists, and the parts of one item. */
const lists = [components.list, componentGroups.list, incidents.list, maintenances.list];
const partsOfItems =
  /^\/(component|component-group|incident|maintenance)\/|^\/(organisation|status\/[^/]+)$|^\/(dashboard|metrics)\b/;

/**
 * Minimum time until lists that could not be read after a reconnect are read again; at most twice
 * as long.
 */
export const readAgainMs = 15_000;

/** Number of ids of deleted updates that are kept. The details of older ones have arrived. */
const deletedKept = 1000;

/**
 * What the server computes from many items: it is read again after each event, but not more often
 * than this.
 */
const computed = /^\/(dashboard|metrics)\b/;
const computedIntervalMs = 2000;

/** The settings, and the public page, whose address and title are those of the organisation. */
const organisation = /^\/(organisation|status\/[^/]+)$/;
const attachedComponents = /^\/incident\/[^/]+\/components\/list$/;
const unattachedComponents = /^\/incident\/[^/]+\/components\/unattached$/;

/** A maintenance as events contain it. */
type MaintenanceRow = Omit<Maintenance, 'notify'>;

interface Attached {
  componentId: string;
  component: { id: string; name: string };
}

/** Keeps every list of the query cache in step with the connection. */
export function useCacheSync(connection: Connection | null): void {
  const api = useApi();
  const listCache = useListCache();
  useEffect(() => {
    const sync = new CacheSync(api, listCache);
    const leave = connection?.listen(sync);
    return () => {
      leave?.();
      sync.onLost();
    };
  }, [connection, api, listCache]);
}

/** Applies the socket's events to the cached lists. */
class CacheSync implements ConnectionListener {
  readonly #api: Pick<ApiClient, 'get'>;
  readonly #cache: ListCache;
  /**
   * Events received while the lists are read again: the responses may be older. If more than
   * `maxWaitingChanges` arrive, one of those is kept, and the lists are read once more.
   */
  #queued: LiveEvent[] | null = null;
  #reads = 0;
  #again: ReturnType<typeof setTimeout> | undefined;
  /** Ids of deleted updates, whose details may still be on their way. */
  readonly #deletedUpdates = new Set<string>();
  readonly #refreshComputed: ReturnType<typeof throttle>;

  constructor(api: Pick<ApiClient, 'get'>, cache: ListCache) {
    this.#api = api;
    this.#cache = cache;
    this.#refreshComputed = throttle(() => cache.refreshMatching(computed), computedIntervalMs);
  }

  onJoined(): void {
    void this.#catchUp();
  }

  onLost(): void {
    this.#reads += 1;
    // The next `onJoined` reads what these changed, and later changes that they would undo.
    this.#queued = null;
    clearTimeout(this.#again);
    this.#refreshComputed.cancel();
  }

  onEvent(event: LiveEvent): void {
    if (this.#queued === null) this.#apply(event);
    else if (this.#queued.length <= maxWaitingChanges) this.#queued.push(event);
  }

  async #catchUp(readLists = () => this.#cache.revalidate(lists, partsOfItems)): Promise<void> {
    this.#queued ??= [];
    this.#reads += 1;
    const read = this.#reads;
    clearTimeout(this.#again);
    const failed = await readLists();
    // The connection was lost, or a later read applies them.
    if (read !== this.#reads) return;
    const queued = this.#queued;
    this.#queued = null;
    if (queued.length > maxWaitingChanges) return this.#catchUp();
    queued.forEach((event) => this.#apply(event));
    // What the server computes is read again with the next event.
    const unread = failed.filter((key) => !computed.test(key));
    if (unread.length === 0) return;
    // Not all clients at the same time.
    const delay = readAgainMs * (1 + Math.random());
    this.#again = setTimeout(() => void this.#catchUp(() => this.#cache.readAgain(unread)), delay);
  }

  #apply(event: LiveEvent): void {
    const cache = this.#cache;
    this.#refreshComputed();
    switch (event.name) {
      case 'new-component': {
        const [component] = event.args;
        const received = { ...component, showUptime: component.uptime !== null };
        cache.update<Component>(
          components.list,
          addOrPatchItem<Component>(received, asStored(received)),
        );
        cache.refreshMatching(unattachedComponents);
        break;
      }
      case 'component-update':
        cache.update<Component>(components.list, patchItem(event.args[0]));
        this.#renameAttached(event.args[0]);
        break;
      case 'component-deleted':
        cache.update<Component>(components.list, removeItem(event.args[0]));
        this.#removeAttached(event.args[0]);
        break;
      case 'new-component-group':
        cache.update<ComponentGroup>(componentGroups.list, addItem(event.args[0]));
        break;
      case 'component-group-update':
        cache.update<ComponentGroup>(componentGroups.list, patchItem(event.args[0]));
        break;
      case 'component-group-deleted':
        cache.update<ComponentGroup>(componentGroups.list, removeItem(event.args[0]));
        break;
      case 'component-order-updated':
        cache.update<Component>(components.list, placeComponents(event.args[0]));
        cache.update<ComponentGroup>(componentGroups.list, placeGroups(event.args[0]));
        break;
      case 'organisation-updated':
        cache.refreshMatching(organisation);
        break;
      case 'new-incident': {
        const [incident] = event.args;
        cache.update<Incident>(
          incidents.list,
          addOrPatchItem<Incident>(incident, asStored(incident)),
        );
        break;
      }
      case 'incident-updated': {
        const [incident] = event.args;
        const merge = (cached: Incident) => mergeTruncatedIncident(incident, cached);
        cache.update<Incident>(incidents.list, patchItemBy(incident.id, merge));
        this.#replaceAttached(incident);
        break;
      }
      case 'incident-deleted':
        cache.update<Incident>(incidents.list, removeItem(event.args[0]));
        break;
      case 'timeline-updated': {
        const [{ incidentId, ...entry }] = event.args;
        const path = incidents.update(incidentId, entry.id);
        this.#putUpdate(incidents.updates(incidentId), path, entry);
        break;
      }
      case 'incident-timeline-deleted':
        this.#removeUpdate(incidents.updates(event.args[0]), event.args[1]);
        break;
      case 'new-maintenance': {
        const [maintenance] = event.args;
        cache.update<MaintenanceRow>(
          maintenances.list,
          addOrPatchItem<MaintenanceRow>(maintenance, asStored(maintenance)),
        );
        break;
      }
      case 'maintenance-updated': {
        const [maintenance] = event.args;
        const merge = (cached: MaintenanceRow) => mergeTruncatedMaintenance(maintenance, cached);
        cache.update<MaintenanceRow>(maintenances.list, patchItemBy(maintenance.id, merge));
        break;
      }
      case 'maintenance-deleted':
        cache.update<MaintenanceRow>(maintenances.list, removeItem(event.args[0]));
        break;
      case 'maintenance-timeline-updated': {
        const [{ maintenanceId, ...entry }] = event.args;
        const path = maintenances.update(maintenanceId, entry.id);
        this.#putUpdate(maintenances.updates(maintenanceId), path, entry);
        break;
      }
      case 'maintenance-timeline-deleted':
        this.#removeUpdate(maintenances.updates(event.args[0]), event.args[1]);
        break;
    }
  }

  /** Changes or adds a row of a table of updates, after a read of the table that may be older. */
  #putUpdate(
    list: string,
    path: string,
    entry: Omit<IncidentEntry, 'incidentId'> | Omit<MaintenanceEntry, 'maintenanceId'>,
  ): void {
    this.#cache.update<Update>(list, (pages) => {
      const isKnown = pages.some((page) => page.some(({ id }) => id === entry.id));
      if (!isKnown) void this.#addUpdate(list, path, entry.id);
      return patchItem<Update>(entry)(pages).map(newestFirst);
    });
  }

  /** Reads a new update from the API, because events do not contain the author. */
  async #addUpdate(list: string, path: string, id: string): Promise<void> {
    if (this.#deletedUpdates.has(id)) return;
    try {
      const { data } = await withRetries(() => this.#api.get<Update>(path));
      if (this.#deletedUpdates.has(id)) return;
      this.#cache.update<Update>(list, (pages) => addItem(data)(pages).map(newestFirst));
    } catch (error) {
      if (isNotFound(error)) return;
      console.error(error);
      // The list shows the update, or why it cannot be read.
      await this.#cache.readAgain([list]);
    }
  }

  #removeUpdate(list: string, id: string): void {
    this.#deletedUpdates.add(id);
    const [oldest] = this.#deletedUpdates;
    if (oldest !== undefined && this.#deletedUpdates.size > deletedKept) {
      this.#deletedUpdates.delete(oldest);
    }
    this.#cache.update<Update>(list, removeItem(id));
  }

  #replaceAttached({ id, components: links, componentsTruncated }: PublicIncident): void {
    if (componentsTruncated) this.#cache.refreshMatching(attachedComponents);
    else {
      this.#updateAttached(incidents.components(id), (cached) =>
        links.map((link) => {
          const known = cached.find(({ componentId }) => componentId === link.componentId);
          return { ...known, ...link, component: { ...known?.component, ...link.component } };
        }),
      );
    }
    this.#cache.refreshMatching(unattachedComponents);
  }

  #renameAttached({ id, name, status }: PublicComponent): void {
    this.#updateEveryAttached((cached) =>
      cached.map((link) =>
        link.componentId === id
          ? { ...link, component: { ...link.component, name, status } }
          : link,
      ),
    );
  }

  #removeAttached(id: string): void {
    this.#updateEveryAttached((cached) => cached.filter(({ componentId }) => componentId !== id));
  }

  #updateEveryAttached(change: (cached: Attached[]) => Attached[]): void {
    for (const path of this.#cache.matching(attachedComponents)) this.#updateAttached(path, change);
    this.#cache.refreshMatching(unattachedComponents);
  }

  #updateAttached(path: string, change: (cached: Attached[]) => Attached[]): void {
    this.#cache.update<Attached>(path, (pages) => pages.map(change));
  }
}

/** A new item as operators see it: its event does not contain the time of its last change. */
function asStored<T extends { createdAt: Instant }>(received: T): T & { updatedAt: Instant } {
  return { ...received, updatedAt: received.createdAt };
}
