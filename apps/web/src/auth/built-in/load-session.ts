import type { OrganisationSession } from '@/auth/load-session';
import { SessionStore, type SessionState } from './session-store';

/** Reads the session and follows it: after a sign-out in another tab `getToken` returns null. */
export async function loadSession(): Promise<OrganisationSession | null> {
  const store = new SessionStore();
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
