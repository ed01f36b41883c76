import { createContext, use } from 'react';
import type { SessionState, SessionStore, SignedIn } from './session-store';
import type { LinkState } from './use-link';

interface SessionContextValue extends Pick<
  SessionStore,
  'refresh' | 'switchTo' | 'signOut' | 'leave' | 'announceAuthentication'
> {
  state: SessionState;
  /** Whether a user has been signed in on this page, so that the installation has an account. */
  hasAccounts: boolean;
  links: LinkState;
}

export const SessionContext = createContext<SessionContextValue | null>(null);

export function useSession(): SessionContextValue {
  const session = use(SessionContext);
  if (session === null) throw new Error('useSession needs the built-in provider above it');
  return session;
}

/** The session of a signed-in user; null while signing out. */
export function useSignedIn(): SignedIn | null {
  const { state } = useSession();
  return state.status === 'signed-in' ? state : null;
}
