import { loadClerkJsScript } from '@clerk/shared/loadClerkJsScript';
import type { Configuration } from '@/api/types';
import type { OrganisationSession } from '@/auth/load-session';
import { tokensOf, type TokenSource } from './tokens';

interface HeadlessClerk extends TokenSource {
  load: (options: { telemetry: false }) => Promise<void>;
  organization: object | null | undefined;
}

/** Loads Clerk without components, for the status page. */
export async function loadSession(
  configuration: Configuration,
): Promise<OrganisationSession | null> {
  const { clerkPublishableKey: publishableKey } = configuration;
  if (publishableKey === null || !mayBeSignedIn(document.cookie)) return null;
  await loadClerkJsScript({ publishableKey, clerkJSVariant: 'headless' });
  const clerk = (window as { Clerk?: HeadlessClerk }).Clerk;
  if (clerk === undefined) return null;
  await clerk.load({ telemetry: false });
  return clerk.session && clerk.organization ? { getToken: tokensOf(clerk) } : null;
}

/**
 * Clerk keeps the time of the last sign-in in a cookie that scripts can read, 0 if no user is
 * signed in: `__client_uat`, with a suffix made of the publishable key in its newer form
 * (clerk/javascript, packages/clerk-js/src/core/auth/cookies/clientUat.ts).
 */
export function mayBeSignedIn(cookies: string): boolean {
  return /(?:^|; )__client_uat(?:_[\w-]+)?=[1-9]/.test(cookies);
}
