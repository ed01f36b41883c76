import { useEffect, useMemo, type ReactNode } from 'react';
import { useAuth } from '@/auth/auth';
import { Connection } from './connection';
import { RealtimeContext } from './realtime';
import { useCacheSync } from './cache-sync';

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
  useEffect(() => connection?.start(), [connection]);
  return <RealtimeContext value={connection}>{children}</RealtimeContext>;
}
