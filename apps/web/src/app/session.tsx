import { useSyncExternalStore } from 'react';
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
  if (state.status === 'loading' || !isReady) return <StartingScreen />;
  return (
    <ApiProvider key={sessionKey(state)} getToken={getToken}>
      <RouterProvider router={router} />
    </ApiProvider>
  );
}

function sessionKey(state: AuthState): string {
  if (state.status !== 'signed-in') return state.status;
  return `${state.user.id} in ${state.organisation?.id ?? 'none'}`;
}
