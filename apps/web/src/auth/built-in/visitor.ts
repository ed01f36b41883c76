import type { Visitor } from '@/auth/visitor';
import { SessionStore, type SessionState } from './session-store';

/** The person of the session, who is followed from here on: signed out elsewhere, the visitor gets no more tokens. */
export async function readVisitor(): Promise<Visitor | null> {
  const store = new SessionStore();
  const stop = store.start();
  const state = await known(store);
  if (state.status === 'signed-in' && state.organisation) return { getToken: store.getToken };
  stop();
  return null;
}

function known(store: SessionStore): Promise<SessionState> {
  return new Promise((resolve) => {
    const look = () => {
      const state = store.getSnapshot();
      if (state.status === 'loading') return;
      forget();
      resolve(state);
    };
    const forget = store.subscribe(look);
    look();
  });
}
