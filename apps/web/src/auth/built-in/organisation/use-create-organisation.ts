import { useApi } from '@/api/api-provider';
import type { AuthOrganisation } from '@/auth/auth';
import { useSession } from '@/auth/built-in/session-context';
import { calls } from '@/paths';
import type { OrganisationValues } from './organisation-form';

/** Creates an organisation and goes to work in it. */
export function useCreateOrganisation() {
  const api = useApi();
  const { refresh } = useSession();
  return async (values: OrganisationValues): Promise<void> => {
    const { data } = await api.post<AuthOrganisation>(calls.identity.organisations, values);
    await refresh(data.id);
  };
}
