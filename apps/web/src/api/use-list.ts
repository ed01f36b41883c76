import { useCallback, useMemo } from 'react';
import { useSWRConfig } from 'swr';
import useSWRInfinite, { unstable_serialize } from 'swr/infinite';
import type { ApiResponse } from './client';
import type { ApiError } from './error';
import { pageSize } from './fetch-all-pages';
import type { ListChange } from './list-changes';
import { QueryCache } from './query-cache';

export interface List<T> {
  /** Newest first; undefined until the first response. */
  rows: T[] | undefined;
  error: ApiError | undefined;
  /** Whether `rows` are those of the previous query, until the first response to the present one. */
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
 * Reads the newest `pageSize` rows of a list (one of `endpoints`, also with a query), and older rows on demand. When the query
 * changes, the previous rows stay until the first response to the new one.
 */
export function useList<T>(path: string): List<T> {
  const { cache } = useSWRConfig();
  const refresh = useRefreshList(path);
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
    refresh,
  };
}

/**
 * Reads a list, with each query and as a whole, again after a save: now if it is on screen, otherwise when it is shown the
 * next time.
 */
export function useRefreshList(path: string): () => Promise<void> {
  const config = useSWRConfig();
  return useCallback(() => refreshList(config, path), [config, path]);
}

async function refreshList(
  { cache, mutate }: ReturnType<typeof useSWRConfig>,
  path: string,
): Promise<void> {
  const keysOf = (list: string) =>
    [...cache.keys()].filter(
      (key) => key === list || key.startsWith(`${list}${separatorAfter(path)}`),
    );
  const isOnScreen = (key: string) => cache instanceof QueryCache && cache.isUsed(key);
  const entries = keysOf(path);
  const outdated = entries.filter((key) => !isOnScreen(key));
  // Reads nothing, as no component uses them. SWR forgets the last request, whose response it would drop two seconds long.
  await Promise.all(outdated.map((key) => mutate(key, undefined)));
  const shown = [...entries.filter(isOnScreen), ...keysOf(unstable_serialize(() => path))];
  await Promise.all(shown.map((key) => mutate(key)));
}

/** Changes a cached list without a request, as an event says: also one that `useQuery` reads as a whole. */
export function useUpdateLists(): <T>(path: string, change: ListChange<T>) => void {
  const config = useSWRConfig();
  return useCallback(
    <T>(path: string, change: ListChange<T>) => {
      const { cache, mutate } = config;
      const keyOf = pageKey(path);
      const listKey = unstable_serialize(keyOf);
      const changePages = () => {
        const list = cache.get(listKey)?.data as ApiResponse<T[]>[] | undefined;
        if (list === undefined) return;
        const pages = change(list.map((page) => page.data));
        const responses = list.map((page, index) => ({ ...page, data: pages[index] ?? [] }));
        void mutate(listKey, responses, { revalidate: false });
        // A later refresh takes the pages that it does not request from their own entries.
        responses.forEach((page, index) => {
          void mutate(keyOf(index, responses[index - 1] ?? null), page, { revalidate: false });
        });
      };
      // The entry of `useQuery`.
      const changeWhole = () => {
        const whole = cache.get(path)?.data as ApiResponse<T[]> | undefined;
        if (whole === undefined) return;
        void mutate(path, { ...whole, data: change([whole.data]).flat() }, { revalidate: false });
      };
      const readAgain = () => void refreshList(config, path);
      for (const [key, applyChange] of [
        [listKey, changePages],
        [path, changeWhole],
      ] as const) {
        // SWR drops the response of a request during which the data is changed, and the response may be older than the change.
        if (cache instanceof QueryCache && cache.afterRead(key, applyChange, readAgain)) continue;
        if (cache.get(key)?.data !== undefined) applyChange();
        else void mutate(key);
      }
    },
    [config],
  );
}

/** Evicts what is not on screen, and reads lists and matching paths again. Returns the same as `useReadAgain`. */
export function useRevalidateLists(): (
  lists: readonly string[],
  paths: RegExp,
) => Promise<string[]> {
  const { cache } = useSWRConfig();
  const readAgain = useReadAgain();
  return useCallback(
    (lists, paths) => {
      if (cache instanceof QueryCache) cache.evictUnused();
      return readAgain([
        ...lists.map((path) => unstable_serialize(pageKey(path))),
        ...[...cache.keys()].filter((key) => paths.test(key)),
      ]);
    },
    [cache, readAgain],
  );
}

/** Reads keys again if they are on screen. Returns those that failed for a reason that may pass. */
export function useReadAgain(): (keys: readonly string[]) => Promise<string[]> {
  const { cache, mutate } = useSWRConfig();
  return useCallback(
    async (keys) => {
      // The new responses contain the changes that wait for older ones.
      if (cache instanceof QueryCache) keys.forEach((key) => cache.forgetAfterRead(key));
      await Promise.all(keys.map((key) => mutate(key)));
      return keys.filter((key) => (cache.get(key)?.error as ApiError | undefined)?.isTransient);
    },
    [cache, mutate],
  );
}

function pageKey(path: string) {
  return (index: number, previous: ApiResponse<unknown[]> | null): string | null => {
    const first = `${path}${separatorAfter(path)}limit=${pageSize}`;
    if (index === 0 || previous === null) return first;
    if (previous.next === null) return null;
    return `${first}&before=${encodeURIComponent(previous.next)}`;
  };
}

/** What separates a further parameter from a path, which may have a query. */
function separatorAfter(path: string): '?' | '&' {
  return path.includes('?') ? '&' : '?';
}
