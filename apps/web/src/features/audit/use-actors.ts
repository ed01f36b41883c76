import { useConfiguration } from '@/api/configuration';
import type { ApiKey } from '@/api/types';
import { useQuery } from '@/api/use-query';
import { useAuth } from '@/auth/auth';
import { endpoints } from '@/paths';

interface Member {
  userId: string;
  name: string;
}

/** A person or an API key of the organisation. */
interface NamedActor {
  id: string;
  name: string;
}

/**
 * Returns the members and API keys of the organisation, which may have changed something. Without
 * the members if Clerk has them.
 */
export function useActors(): NamedActor[] {
  const { state } = useAuth();
  const { identityProvider } = useConfiguration();
  const organisation = state.status === 'signed-in' ? state.organisation : null;
  const knowsMembers = identityProvider === 'built-in' && organisation !== null;
  const members = useQuery<Member[]>(
    knowsMembers ? endpoints.identity.members(organisation.id) : null,
  );
  const keys = useQuery<ApiKey[]>(endpoints.apiKeys.list);
  return [
    ...(members.data ?? []).map(({ userId, name }) => ({ id: userId, name })),
    ...(keys.data ?? []).map(({ id, name }) => ({ id, name })),
  ];
}
