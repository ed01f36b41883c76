import { useEffect, useMemo, useState, useSyncExternalStore, type ReactNode } from 'react';
import { AuthContext, type AuthState } from '@/auth/auth';
import { StartFailureScreen } from '@/auth/start-screens';
import { SessionContext } from './session-context';
import { SessionStore, type SessionState } from './session-store';

export function Provider({ children }: { children: ReactNode }) {
  const [store] = useState(() => new SessionStore());
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const [hasAccounts, setHasAccounts] = useState(false);
  if (state.status === 'signed-in' && !hasAccounts) setHasAccounts(true);

  useEffect(() => store.start(), [store]);

  const auth = useMemo(
    () => ({ state: authState(state), getToken: store.getToken, signOut: store.signOut }),
    [state, store],
  );
  const session = useMemo(
    () => ({
      state,
      hasAccounts,
      refresh: store.refresh,
      switchTo: store.switchTo,
      signOut: store.signOut,
    }),
    [state, hasAccounts, store],
  );

  if (state.status === 'failed') {
    return <StartFailureScreen message={state.message} onRetry={store.retry} />;
  }
  return (
    <AuthContext value={auth}>
      <SessionContext value={session}>{children}</SessionContext>
    </AuthContext>
  );
}

function authState(state: SessionState): AuthState {
  switch (state.status) {
    case 'loading':
    case 'failed':
      return { status: 'loading' };
    case 'signed-out':
      return { status: 'signed-out' };
    case 'signed-in':
      return { status: 'signed-in', user: state.user, organisation: state.organisation };
  }
}
