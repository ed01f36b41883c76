import { createContext, use, useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import type { Connection, SocketStatus } from './connection';
import type { LiveEvent } from './live-events';

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

export type ItemEvent =
  | 'component-update'
  | 'component-group-update'
  | 'incident-updated'
  | 'maintenance-updated'
  | 'organisation-updated';

/** Calls `onChange` when the item has changed, and after a lost connection, during which it may have changed. */
export function useItemChanges(name: ItemEvent, id: string, onChange: () => void): void {
  useChanges((event) => isAbout(event, name, id), onChange);
}

/** Calls `onChange` after each event that matches, and after a lost connection, during which there may have been one. */
export function useChanges(matches: (event: LiveEvent) => boolean, onChange: () => void): void {
  const connection = useRealtime();
  const isChange = useEffectEvent(matches);
  const notify = useEffectEvent(onChange);
  useEffect(() => {
    let missed = false;
    return connection?.listen({
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
  return event.name === name && typeof item === 'object' && 'id' in item && item.id === id;
}
