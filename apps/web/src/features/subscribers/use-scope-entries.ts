import { useMemo } from 'react';
import type { ApiError } from '@/api/error';
import type { StatusSnapshot } from '@/api/types';
import { useQuery } from '@/api/use-query';
import { useAuth } from '@/auth/auth';
import { endpoints } from '@/paths';
import { scopeEntries, type ScopeEntry } from '@/shared-features/subscription/scope';

interface ScopeEntriesQuery {
  /** In the order of the page; undefined while they load or if they could not be read. */
  entries: ScopeEntry[] | undefined;
  error: ApiError | undefined;
  refresh: () => Promise<unknown>;
}

/** Reads what subscribers can choose. */
export function useScopeEntries(isNeeded: boolean): ScopeEntriesQuery {
  const { state } = useAuth();
  const id = state.status === 'signed-in' ? state.organisation?.id : undefined;
  const { data, error, refresh } = useQuery<StatusSnapshot>(
    id && isNeeded ? endpoints.status(id) : null,
  );
  const entries = useMemo(() => data && scopeEntries(data), [data]);
  return { entries, error, refresh };
}
