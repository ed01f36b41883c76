import { useMemo } from 'react';
import { useSWRConfig } from 'swr';
import useSWRInfinite, { unstable_serialize } from 'swr/infinite';
import type { ApiResponse } from './client';
import type { ApiError } from './error';
import { pageKey, useListCache } from './list-cache';

export interface List<T> {
  /** Newest first; undefined until the first response. */
  rows: T[] | undefined;
  error: ApiError | undefined;
  /**
   * Whether `rows` are those of the previous query, until the first response to the present one.
   */
  isStale: boolean;
  /** Whether the server has older rows than these. */
  hasOlder: boolean;
  isLoadingOlder: boolean;
  showOlder: () => void;
  refresh: () => Promise<void>;
}

/** The path of a list for `useList`. */
export function listPath(path: string, query?: URLSearchParams): string {
  return query && query.size > 0 ? `${path}?${query.toString()}` : path;
}

/**
 * Reads the newest `pageSize` rows of a list (one of `endpoints`, also with a query), and older
 * rows on demand; null reads nothing. When the query changes, the previous rows stay until the
 * first response to the new one.
 */
export function useList<T>(path: string | null): List<T> {
  const { cache } = useSWRConfig();
  const listCache = useListCache();
  const { data, error, isLoading, isValidating, size, setSize } = useSWRInfinite<
    ApiResponse<T[]>,
    ApiError
  >(pageKey(path), { keepPreviousData: true });
  const isOfPreviousPath = cache.get(unstable_serialize(pageKey(path)))?.data === undefined;
  const rows = useMemo(
    () => (error && isOfPreviousPath ? undefined : data?.flatMap((page) => page.data)),
    [data, error, isOfPreviousPath],
  );
  const older = data?.at(-1)?.next ?? null;
  return {
    rows,
    error,
    isStale: isLoading && data !== undefined,
    hasOlder: older !== null,
    isLoadingOlder: isValidating && data !== undefined && data.length < size,
    showOlder: () => void setSize((data?.length ?? 0) + 1),
    refresh: async () => {
      if (path !== null) await listCache.refresh(path);
    },
  };
}
