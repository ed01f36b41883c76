import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { RouterProvider, type RouterProviderProps } from 'react-router-dom';
import { ApiProvider } from '@/api/api-provider';
import { useAuth, type AuthState } from '@/auth/auth';
import { ArrivedSignedOutContext } from '@/auth/kept-path';
import { storeLastSessionHint } from '@/auth/last-session-hint';
import { StartingScreen } from '@/auth/start-screens';
import { RealtimeProvider } from '@/realtime/realtime-provider';
import { groups } from './groups';

/**
 * The app as one person in one organisation sees it. Another person or organisation gets a new one,
 * so that nothing of the other is left on screen or in the cache.
 */
export function Session({ router }: Pick<RouterProviderProps, 'router'>) {
  const { state, getToken, reauthenticate, onOutdated } = useAuth();
  const isReady = useSyncExternalStore(
    (notify) => router.subscribe(notify),
    () => router.state.initialized,
  );
  const isLeaving = useWayOutOfItems(router, state);
  useLastSessionHint(state);
  const isArrival = useIsSignedOutSinceStart(state);
  useFocusAfterSwitch(state, isLeaving);
  if (state.status === 'loading' || !isReady || isLeaving) return <StartingScreen />;
  return (
    <ApiProvider
      key={sessionKey(state)}
      getToken={getToken}
      reauthenticate={reauthenticate}
      onForbidden={onOutdated}
    >
      <RealtimeProvider>
        <ArrivedSignedOutContext value={isArrival}>
          <RouterProvider router={router} />
        </ArrivedSignedOutContext>
      </RealtimeProvider>
    </ApiProvider>
  );
}

function useIsSignedOutSinceStart({ status }: AuthState): boolean {
  const [wasSignedIn, setWasSignedIn] = useState(false);
  if (status === 'signed-in' && !wasSignedIn) setWasSignedIn(true);
  return status === 'signed-out' && !wasSignedIn;
}

/** Stores the hint for the public pages in this browser. */
function useLastSessionHint(state: AuthState) {
  const isOperator = state.status === 'signed-in' && state.organisation !== null;
  const isKnown = state.status !== 'loading';
  useEffect(() => {
    if (isKnown) storeLastSessionHint(isOperator);
  }, [isKnown, isOperator]);
}

/**
 * Leads from an item to the list of its kind, and from a filtered screen to the whole one, when the
 * organisation changes: the other organisation does not have the item. True until the list is
 * shown, so that the item is not requested again.
 */
function useWayOutOfItems(router: RouterProviderProps['router'], state: AuthState): boolean {
  const organisation = organisationOf(state);
  const [before, setBefore] = useState(organisation);
  const isAnother = before !== null && organisation !== null && before !== organisation;
  const wayOut = isAnother ? wayOutOf(router.state) : null;
  const mustLeave = wayOut !== null;
  if (before !== organisation && !mustLeave) setBefore(organisation);

  useEffect(() => {
    if (wayOut === null) return;
    void router.navigate(wayOut).then(() => setBefore(organisation));
  }, [router, wayOut, organisation]);
  return mustLeave;
}

/**
 * Moves the focus to the screen of another organisation: what had it belongs to the earlier one.
 */
function useFocusAfterSwitch(state: AuthState, isLeaving: boolean): void {
  const organisation = organisationOf(state);
  const shown = useRef(organisation);
  useEffect(() => {
    if (isLeaving || organisation === null || organisation === shown.current) return;
    if (shown.current !== null) document.querySelector('main')?.focus({ preventScroll: true });
    shown.current = organisation;
  }, [organisation, isLeaving]);
}

function organisationOf(state: AuthState): string | null {
  return state.status === 'signed-in' ? (state.organisation?.id ?? null) : null;
}

/** Returns where a screen that names an item of the organisation leads; null if it names none. */
function wayOutOf({ matches, location }: RouterProviderProps['router']['state']): string | null {
  if (!matches.some(({ route }) => route.id === groups.organisation)) return null;
  const [, list = ''] = location.pathname.split('/');
  if (matches.some(({ params }) => Object.keys(params).length > 0)) return `/${list}`;
  return location.search === '' ? null : location.pathname;
}

function sessionKey(state: AuthState): string {
  if (state.status !== 'signed-in') return state.status;
  return `${state.user.id} in ${state.organisation?.id ?? 'none'}`;
}
