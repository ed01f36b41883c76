import { createContext, use, useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import type { Connection, SocketStatus } from './connection';
import type { LiveEvent } from './live-events';

/** The app's one connection; null while nobody is signed in with an organisation. */
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

type ItemEvent = 'component-update' | 'incident-updated' | 'maintenance-updated';

/** Calls `changed` when the item of this id has changed, and when it may have changed while nothing was told. */
export function useItemNews(name: ItemEvent, id: string, changed: () => void): void {
  const connection = useRealtime();
  const notify = useEffectEvent(changed);
  useEffect(() => {
    let missed = false;
    return connection?.follow({
      tell: (event) => {
        if (isAbout(event, name, id)) notify();
      },
      lost: () => {
        missed = true;
      },
      joined: () => {
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
