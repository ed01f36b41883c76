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

export type ItemEvent = 'component-update' | 'incident-updated' | 'maintenance-updated';

/** Calls `onChange` when the item has changed, and after a lost connection, during which it may have changed. */
export function useItemChanges(name: ItemEvent, id: string, onChange: () => void): void {
  const connection = useRealtime();
  const notify = useEffectEvent(onChange);
  useEffect(() => {
    let missed = false;
    return connection?.listen({
      onEvent: (event) => {
        if (isAbout(event, name, id)) notify();
      },
      onLost: () => {
        missed = true;
      },
      onJoined: () => {
        if (missed) notify();
        missed = false;
      },
    });
  }, [connection, name, id]);
}

function isAbout(event: LiveEvent, name: ItemEvent, id: string): boolean {
  const [item] = event.args;
  return event.name === name && typeof item === 'object' && item.id === id;
}
