import { useEffect, useEffectEvent, useMemo, type ReactNode } from 'react';
import { useAuth } from '@/auth/auth';
import { Connection } from './connection';
import { RealtimeContext } from './realtime';
import { useCacheSync } from './cache-sync';
import type { LiveEvent } from './live-events';

/**
 * Holds the app's one connection while a user is signed in with an organisation. Needs an
 * ApiProvider above it.
 */
export function RealtimeProvider({ children }: { children: ReactNode }) {
  const { state, getToken } = useAuth();
  const orgId = state.status === 'signed-in' ? (state.organisation?.id ?? null) : null;
  const connection = useMemo(
    () => (orgId === null ? null : new Connection(orgId, getToken)),
    [orgId, getToken],
  );
  useCacheSync(connection);
  useRenames(connection);
  useEffect(() => connection?.start(), [connection]);
  return <RealtimeContext value={connection}>{children}</RealtimeContext>;
}

/** Lets the session be read again after another user has renamed the organisation. */
function useRenames(connection: Connection | null): void {
  const { state, onOutdated } = useAuth();
  const name = state.status === 'signed-in' ? state.organisation?.name : undefined;
  const compare = useEffectEvent((event: LiveEvent) => {
    if (event.name === 'organisation-updated' && event.args[0].name !== name) onOutdated?.();
  });
  useEffect(
    () => connection?.listen({ onJoined: () => undefined, onEvent: (event) => compare(event) }),
    [connection],
  );
}
