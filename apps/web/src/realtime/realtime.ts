import { createContext, use, useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import type { Connection, SocketStatus } from './connection';
import type { LiveEvent, LiveEventName } from './live-events';

/** The app's one connection; null while no user is signed in with an organisation. */
export const RealtimeContext = createContext<Connection | null>(null);

export function useRealtime(): Connection | null {
  return use(RealtimeContext);
}

const never = () => () => undefined;

export function useSocketStatus(): SocketStatus {
  const connection = useRealtime();
  return useSyncExternalStore<SocketStatus>(
    connection?.subscribe ?? never,
    connection?.getStatus ?? (() => 'disconnected'),
  );
}

/**
 * Since when lists may be out of date, once the attempts to reconnect are exhausted; null while
 * they are not.
 */
export function useNotLiveSince(): number | null {
  const connection = useRealtime();
  return useSyncExternalStore(
    connection?.subscribe ?? never,
    connection?.getNotLiveSince ?? (() => null),
  );
}

export type ItemEvent =
  | 'component-update'
  | 'component-group-update'
  | 'incident-updated'
  | 'maintenance-updated'
  | 'organisation-updated';

/** The events of deleted items. Their first argument is the item's id. */
const deletions: Partial<Record<ItemEvent, LiveEventName>> = {
  'component-update': 'component-deleted',
  'component-group-update': 'component-group-deleted',
  'incident-updated': 'incident-deleted',
  'maintenance-updated': 'maintenance-deleted',
};

/**
 * Calls `onChange` when the item was changed or deleted, and when it may have been, as
 * `useChanges` does.
 */
export function useItemChanges(name: ItemEvent, id: string, onChange: () => void): void {
  useChanges((event) => isAbout(event, name, id), onChange);
}

/**
 * Calls `onChange` after each event that matches, and each time the socket joins after a time
 * without events, for the first time too.
 */
export function useChanges(matches: (event: LiveEvent) => boolean, onChange: () => void): void {
  const connection = useRealtime();
  const isChange = useEffectEvent(matches);
  const notify = useEffectEvent(onChange);
  useEffect(() => {
    if (connection === null) return;
    let missed = !connection.isJoined;
    return connection.listen({
      onEvent: (event) => {
        if (isChange(event)) notify();
      },
      onLost: () => {
        missed = true;
      },
      onJoined: () => {
        if (missed) notify();
        missed = false;
      },
    });
  }, [connection]);
}

function isAbout(event: LiveEvent, name: ItemEvent, id: string): boolean {
  const [item] = event.args;
  if (event.name === deletions[name]) return item === id;
  return event.name === name && typeof item === 'object' && 'id' in item && item.id === id;
}
