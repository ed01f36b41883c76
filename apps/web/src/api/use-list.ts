import { useCallback, useMemo } from 'react';
import { useSWRConfig } from 'swr';
import useSWRInfinite, { unstable_serialize } from 'swr/infinite';
import type { Answer } from './client';
import type { ApiError } from './error';
import type { ListChange } from './list-changes';
import { QueryCache } from './query-cache';

/** As many as the server hands out at once. */
const pageSize = 500;

export interface List<T> {
  /** Newest first; undefined until the first answer has come. */
  rows: T[] | undefined;
  error: ApiError | undefined;
  /** Whether the server holds older ones than these. */
  hasOlder: boolean;
  isLoadingOlder: boolean;
  showOlder: () => void;
  /** Asks anew for everything that is shown, and answers when it is in. */
  refresh: () => Promise<void>;
}

/** Reads the newest 500 of a list (one of `calls`), and older ones when asked. */
export function useList<T>(path: string): List<T> {
  const refresh = useRefreshList(path);
  const { data, error, isValidating, size, setSize } = useSWRInfinite<Answer<T[]>, ApiError>(
    pageKey(path),
  );
  const rows = useMemo(() => data?.flatMap((page) => page.data), [data]);
  const older = data?.at(-1)?.next ?? null;
  return {
    rows,
    error,
    hasOlder: older !== null,
    isLoadingOlder: isValidating && data !== undefined && data.length < size,
    showOlder: () => void setSize((data?.length ?? 0) + 1),
    refresh,
  };
}

/**
 * Makes a list forget what it knows: one that is on screen asks anew at once, any other when it is shown again.
 */
export function useRefreshList(path: string): () => Promise<void> {
  const { mutate } = useSWRConfig();
  return useCallback(async () => {
    const belongs = (key: unknown) =>
      typeof key === 'string' && (key === path || key.startsWith(`${path}?`));
    await mutate(belongs, undefined, { revalidate: false });
    await mutate(unstable_serialize(pageKey(path)));
  }, [mutate, path]);
}

/**
 * Changes what a list shows without asking the server: `change(withNew(item))`. For what is known already, such
 * as the answer to a save.
 */
export function useChangeList<T>(path: string): (change: ListChange<T>) => void {
  const changeList = useChangeLists();
  return useCallback((change) => changeList(path, change), [changeList, path]);
}

/** The same for any list, also one that `useQuery` reads as a whole: for what the events of the socket tell. */
export function useChangeLists(): <T>(path: string, change: ListChange<T>) => void {
  const { cache, mutate } = useSWRConfig();
  return useCallback(
    <T>(path: string, change: ListChange<T>) => {
      const keyOf = pageKey(path);
      const listKey = unstable_serialize(keyOf);
      const list = cache.get(listKey)?.data as Answer<T[]>[] | undefined;
      // An answer still on its way may be older than the change, so it is asked for again.
      if (list === undefined) void mutate(listKey);
      else {
        const pages = change(list.map((page) => page.data));
        const answers = list.map((page, index) => ({ ...page, data: pages[index] ?? [] }));
        void mutate(listKey, answers, { revalidate: false });
        // A later refresh takes the pages that it does not ask for from their own entries.
        answers.forEach((page, index) => {
          void mutate(keyOf(index, answers[index - 1] ?? null), page, { revalidate: false });
        });
      }
      // As `useQuery` reads all of it at once.
      const whole = cache.get(path)?.data as Answer<T[]> | undefined;
      if (whole === undefined) void mutate(path);
      else
        void mutate(path, { ...whole, data: change([whole.data]).flat() }, { revalidate: false });
    },
    [cache, mutate],
  );
}

/**
 * Asks anew for what is on screen of some lists and of what belongs to them, and forgets everything that is not on
 * screen. Answers when it is all in.
 */
export function useReadAnew(): (lists: readonly string[], belongs: RegExp) => Promise<void> {
  const { cache, mutate } = useSWRConfig();
  return useCallback(
    async (lists, belongs) => {
      if (cache instanceof QueryCache) cache.forgetUnused();
      await Promise.all([
        ...lists.map((path) => mutate(unstable_serialize(pageKey(path)))),
        mutate((key) => typeof key === 'string' && belongs.test(key)),
      ]);
    },
    [cache, mutate],
  );
}

function pageKey(path: string) {
  return (index: number, previous: Answer<unknown[]> | null): string | null => {
    if (index === 0 || previous === null) return `${path}?limit=${pageSize}`;
    if (previous.next === null) return null;
    return `${path}?limit=${pageSize}&before=${encodeURIComponent(previous.next)}`;
  };
}
