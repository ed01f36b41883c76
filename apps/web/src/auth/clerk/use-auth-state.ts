import { useOrganization, useSession, useUser } from '@clerk/clerk-react';
import { useMemo } from 'react';
import type { AuthOrganisation, AuthState, AuthUser } from '@/auth/auth';

type Person = NonNullable<ReturnType<typeof useUser>['user']>;

/** Clerk speaks up at every token; the state is another one only when it says something else. */
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

/** A session can wait for its person to do something. Choosing an organisation is what /onboarding is for. */
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
    role: role === 'org:admin' ? 'admin' : 'member',
  };
}

/** The same object for as long as it says the same. */
function useStable<T extends object>(value: T | null): T | null {
  const written = JSON.stringify(value);
  return useMemo(() => JSON.parse(written) as T | null, [written]);
}
