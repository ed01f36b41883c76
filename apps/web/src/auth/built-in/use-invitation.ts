import { useEffect, useState } from 'react';
import { useApi } from '@/api/api-provider';
import { ApiError } from '@/api/error';
import { endpoints } from '@/paths';
import { useSession } from './session-context';
import type { InspectedInvitation } from './types';

type InvitationQuery =
  | { status: 'loading' }
  | { status: 'failed'; error: ApiError }
  | { status: 'loaded'; invitation: InspectedInvitation };

/** Reads the invitation of a mailed link. */
export function useInvitation(token: string): [InvitationQuery, () => void] {
  const api = useApi();
  const [query, setQuery] = useState<InvitationQuery>({ status: 'loading' });
  const [attempt, setAttempt] = useState(0);

  useEffect(() => {
    let wanted = true;
    const inspect = async (): Promise<InvitationQuery> => {
      const call = api.post<InspectedInvitation>(endpoints.identity.inspectInvitation, { token });
      return { status: 'loaded', invitation: (await call).data };
    };
    void inspect()
      .catch((error: unknown): InvitationQuery => {
        if (error instanceof ApiError) return { status: 'failed', error };
        throw error;
      })
      .then((invitation) => wanted && setQuery(invitation));
    return () => {
      wanted = false;
    };
  }, [api, token, attempt]);

  const retry = () => {
    setQuery({ status: 'loading' });
    setAttempt((made) => made + 1);
  };
  return [query, retry];
}

/** Name of the organisation; of the product without one. */
export function hostName({ organisation }: InspectedInvitation): string {
  return organisation?.name ?? 'Allclear';
}

interface Accepted {
  organisation: { id: string; name: string } | null;
}

/** Accepts an invitation for the signed-in user and switches to its organisation. */
export function useAcceptInvitation() {
  const api = useApi();
  const { refresh } = useSession();
  return async (token: string): Promise<Accepted> => {
    const { data } = await api.post<Accepted>(endpoints.identity.acceptInvitation, { token });
    await refresh(data.organisation?.id ?? null);
    return data;
  };
}
