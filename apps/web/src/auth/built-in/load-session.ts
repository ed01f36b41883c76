import type { OrganisationSession } from '@/auth/load-session';
import { SessionStore, type SessionState } from './session-store';

/**
 * Reads the session and follows it. `getToken` returns null after a sign-out in another tab, and
 * while the user would have to authenticate, which the public page does not ask for.
 */
export async function loadSession(): Promise<OrganisationSession | null> {
  const store = new SessionStore({ hasDialogs: false });
  const stop = store.start();
  const state = await known(store);
  if (state.status === 'signed-in' && state.organisation) return { getToken: store.getToken };
  stop();
  return null;
}

function known(store: SessionStore): Promise<SessionState> {
  return new Promise((resolve) => {
    const check = () => {
      const state = store.getSnapshot();
      if (state.status === 'loading') return;
      forget();
      resolve(state);
    };
    const forget = store.subscribe(check);
    check();
  });
}
