import { useOrganization, useSession, useUser } from '@clerk/clerk-react';
import { useMemo } from 'react';
import type { AuthOrganisation, AuthState, AuthUser, Role } from '@/auth/auth';

/** A role that the organisation has defined is an editor's, as on the server. */
const roles: Record<string, Role> = { 'org:admin': 'admin', 'org:viewer': 'viewer' };

type Person = NonNullable<ReturnType<typeof useUser>['user']>;

/** Clerk notifies at every new token. The state changes only if its content does. */
export function useAuthState(): AuthState {
  const { isLoaded, session } = useSession();
  const { user: person } = useUser();
  const { organization } = useOrganization();

  const isSignedIn = session != null && person != null && !isStuck(session);
  const user = useStable(isSignedIn ? userOf(person) : null);
  const organisation = useStable(isSignedIn ? organisationOf(person, organization?.id) : null);

  return useMemo(() => {
    if (!isLoaded) return { status: 'loading' };
    if (user === null) return { status: 'signed-out' };
    return { status: 'signed-in', user, organisation };
  }, [isLoaded, user, organisation]);
}

/**
 * Whether the session waits for a task of its user other than choosing an
 * organisation (/onboarding).
 */
function isStuck({ status, currentTask }: { status: string; currentTask?: { key: string } }) {
  return status === 'pending' && currentTask?.key !== 'choose-organization';
}

function userOf({ id, fullName, username, primaryEmailAddress }: Person): AuthUser {
  const email = primaryEmailAddress?.emailAddress ?? '';
  return { id, name: fullName ?? username ?? email, email };
}

function organisationOf(
  { organizationMemberships }: Person,
  id: string | undefined,
): AuthOrganisation | null {
  const membership = organizationMemberships.find(({ organization }) => organization.id === id);
  if (membership === undefined) return null;
  const { organization, role } = membership;
  return {
    id: organization.id,
    name: organization.name,
    role: roles[role] ?? 'editor',
  };
}

/** Returns the same object while its content is the same. */
function useStable<T extends object>(value: T | null): T | null {
  const written = JSON.stringify(value);
  return useMemo(() => JSON.parse(written) as T | null, [written]);
}
