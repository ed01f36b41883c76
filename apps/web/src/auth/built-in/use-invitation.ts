import { useEffect, useState } from 'react';
import { useApi } from '@/api/api-provider';
import { ApiError } from '@/api/error';
import { calls } from '@/paths';
import type { InspectedInvitation } from './types';

export type InvitationQuery =
  | { status: 'loading' }
  | { status: 'failed'; error: ApiError }
  | { status: 'loaded'; invitation: InspectedInvitation };

/** What the link of an invitation is to. */
export function useInvitation(token: string): [InvitationQuery, () => void] {
  const api = useApi();
  const [query, setQuery] = useState<InvitationQuery>({ status: 'loading' });
  const [attempt, setAttempt] = useState(0);

  useEffect(() => {
    let wanted = true;
    const inspect = async (): Promise<InvitationQuery> => {
      const call = api.post<InspectedInvitation>(calls.identity.inspectInvitation, { token });
      return { status: 'loaded', invitation: (await call).data };
    };
    void inspect()
      .catch((error: unknown): InvitationQuery => {
        if (error instanceof ApiError) return { status: 'failed', error };
        throw error;
      })
      .then((answered) => wanted && setQuery(answered));
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

/** "Analytical Engines", or the installation itself. */
export function hostName({ organisation }: InspectedInvitation): string {
  return organisation?.name ?? 'Allclear';
}
