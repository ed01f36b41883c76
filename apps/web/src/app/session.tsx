import { useEffect, useRef, useSyncExternalStore } from 'react';
import { RouterProvider, type RouterProviderProps } from 'react-router-dom';
import { ApiProvider } from '@/api/api-provider';
import { useAuth, type AuthState } from '@/auth/auth';
import { StartingScreen } from '@/auth/start-screens';

/**
 * The app as one person in one organisation sees it. Another person or organisation gets a new one, so that
 * nothing of the other is left on screen or in the cache.
 */
export function Session({ router }: Pick<RouterProviderProps, 'router'>) {
  const { state, getToken } = useAuth();
  const isReady = useSyncExternalStore(
    (notify) => router.subscribe(notify),
    () => router.state.initialized,
  );
  useWayOutOfItems(router, state);
  if (state.status === 'loading' || !isReady) return <StartingScreen />;
  return (
    <ApiProvider key={sessionKey(state)} getToken={getToken}>
      <RouterProvider router={router} />
    </ApiProvider>
  );
}

/** Another organisation does not have the item that is on screen, but it has the list of its kind. */
function useWayOutOfItems(router: RouterProviderProps['router'], state: AuthState) {
  const organisation = state.status === 'signed-in' ? (state.organisation?.id ?? null) : null;
  const before = useRef(organisation);
  useEffect(() => {
    const isAnother = before.current !== null && organisation !== null;
    const { matches, location } = router.state;
    if (isAnother && before.current !== organisation && matches.some(hasParameters)) {
      void router.navigate(`/${location.pathname.split('/')[1] ?? ''}`);
    }
    before.current = organisation;
  }, [router, organisation]);
}

function hasParameters({ params }: { params: object }): boolean {
  return Object.keys(params).length > 0;
}

function sessionKey(state: AuthState): string {
  if (state.status !== 'signed-in') return state.status;
  return `${state.user.id} in ${state.organisation?.id ?? 'none'}`;
}
