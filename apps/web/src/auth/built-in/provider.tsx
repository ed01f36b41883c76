import { useEffect, useMemo, useState, useSyncExternalStore, type ReactNode } from 'react';
import { AuthContext, type AuthState } from '@/auth/auth';
import { StartFailureScreen } from '@/auth/start-screens';
import { onWake } from '@/ui/wake';
import { EndedSessionDialog } from './ended-session-dialog';
import { FactorRequiredDialog } from './factor-required-dialog';
import { LinkDialog } from './link-dialog';
import { ReauthenticationDialog } from './reauthentication-dialog';
import { Reauthentications } from './reauthentications';
import { SessionContext } from './session-context';
import { SessionFailureDialog, useRefresh } from './session-failure-dialog';
import { SessionStore, type SessionState } from './session-store';
import { useLink } from './use-link';

export function Provider({ children }: { children: ReactNode }) {
  const [reauthentications] = useState(() => new Reauthentications());
  const [store] = useState(
    () => new SessionStore({ onAuthenticated: () => reauthentications.settle(true) }),
  );
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const [refresh, refreshFailure] = useRefresh(store);
  const links = useLink();
  const [hasAccounts, setHasAccounts] = useState(false);
  const signedIn = state.status === 'signed-in' && !state.user.needsAddress;
  if (signedIn && !hasAccounts) setHasAccounts(true);

  const userId = state.status === 'signed-in' ? state.user.id : null;
  const organisationId = state.status === 'signed-in' ? state.organisation?.id : null;

  useEffect(() => store.start(), [store]);
  useEffect(() => onWake(store.onWake), [store]);
  // A change that waits for a confirmation belongs to the user and the organisation that it was
  // made in.
  useEffect(
    () => () => reauthentications.settle(false),
    [reauthentications, userId, organisationId],
  );
  useEffect(() => {
    if (signedIn && links.link?.used) links.dismiss();
  }, [signedIn, links]);

  const auth = useMemo(
    () => ({
      state: authState(state),
      getToken: store.getToken,
      reauthenticate: reauthentications.request,
      onOutdated: store.onOutdated,
      refresh: () => refresh(),
    }),
    [state, store, reauthentications, refresh],
  );
  const session = useMemo(
    () => ({
      state,
      hasAccounts,
      links,
      refresh,
      switchTo: store.switchTo,
      signOut: store.signOut,
      leave: store.leave,
      announceAuthentication: store.announceAuthentication,
    }),
    [state, hasAccounts, links, store, refresh],
  );

  if (state.status === 'failed') {
    return <StartFailureScreen message={state.message} onRetry={store.retry} />;
  }
  return (
    <AuthContext value={auth}>
      <SessionContext value={session}>
        {children}
        <LinkDialog getToken={store.getToken} />
        <EndedSessionDialog />
        <FactorRequiredDialog reauthenticate={reauthentications.request} />
        {refreshFailure !== null && <SessionFailureDialog {...refreshFailure} />}
        {state.status === 'signed-in' && (
          <ReauthenticationDialog
            requests={reauthentications}
            email={state.user.email}
            ways={state.ways}
          />
        )}
      </SessionContext>
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
      // The user is led to the sign-in page, which asks for the address.
      if (state.user.needsAddress) return { status: 'signed-out' };
      return { status: 'signed-in', user: state.user, organisation: state.organisation };
  }
}
