import { useMemo } from 'react';
import type { StatusSnapshot } from '@/api/types';
import { useQuery } from '@/api/use-query';
import { useAuth } from '@/auth/auth';
import { endpoints } from '@/paths';
import { scopeEntries, type ScopeEntry } from '@/subscription/scope';

/** Reads what subscribers can choose, in the order of the page; undefined while it loads. */
export function useScopeEntries(isNeeded: boolean): ScopeEntry[] | undefined {
  const { state } = useAuth();
  const id = state.status === 'signed-in' ? state.organisation?.id : undefined;
  const { data, error } = useQuery<StatusSnapshot>(id && isNeeded ? endpoints.status(id) : null);
  return useMemo(() => {
    if (data) return scopeEntries(data);
    return error ? [] : undefined;
  }, [data, error]);
}
