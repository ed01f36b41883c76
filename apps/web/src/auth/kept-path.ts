import { createContext, use } from 'react';
import { paths } from '@/paths';

const storageKey = 'allclear:kept-path';
const maxAgeMs = 10 * 60_000;

/**
 * Whether the user has been signed out since the page was opened. After a sign-out no path is kept.
 */
export const ArrivedSignedOutContext = createContext(false);

export function useArrivedSignedOut(): boolean {
  return use(ArrivedSignedOutContext);
}

/** Keeps the path of a screen that needs a user, for the time after the sign-in in this tab. */
export function keepPath(path: string): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify({ path, keptAt: Date.now() }));
  } catch {
    // Storage may be forbidden. Then a sign-in leads to the dashboard.
  }
}

export function forgetPath(): void {
  try {
    sessionStorage.removeItem(storageKey);
  } catch {
    // Nothing has been kept.
  }
}

/**
 * Returns the path after a sign-in: the kept one, if it is some minutes old at most, otherwise
 * the dashboard.
 */
export function pathAfterSignIn(): string {
  try {
    const { path, keptAt } = JSON.parse(sessionStorage.getItem(storageKey) ?? '{}') as {
      path?: unknown;
      keptAt?: unknown;
    };
    const isFresh = typeof keptAt === 'number' && Date.now() - keptAt < maxAgeMs;
    if (isFresh && typeof path === 'string' && isOwnPath(path)) return path;
  } catch {
    // Storage may be forbidden, or something else has written it.
  }
  return paths.dashboard;
}

/** Whether a text is a path of this origin, and nothing else. */
function isOwnPath(path: string): boolean {
  const { origin } = window.location;
  return path.startsWith('/') && new URL(path, origin).href === origin + path;
}
