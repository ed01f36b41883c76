import { useApi } from '@/api/api-provider';
import { calls } from '@/paths';
import { useSession } from './session-context';

interface Accepted {
  organisation: { id: string; name: string } | null;
}

/** Accepts an invitation for whoever is signed in, and goes to work in its organisation. */
export function useAcceptInvitation() {
  const api = useApi();
  const { refresh } = useSession();
  return async (token: string): Promise<Accepted> => {
    const { data } = await api.post<Accepted>(calls.identity.acceptInvitation, { token });
    await refresh(data.organisation?.id ?? null);
    return data;
  };
}
