import { useCallback, useMemo } from 'react';
import { useSWRConfig } from 'swr';
import useSWRInfinite, { unstable_serialize } from 'swr/infinite';
import type { Answer } from './client';
import type { ApiError } from './error';

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

function pageKey(path: string) {
  return (index: number, previous: Answer<unknown[]> | null): string | null => {
    if (index === 0 || previous === null) return `${path}?limit=${pageSize}`;
    if (previous.next === null) return null;
    return `${path}?limit=${pageSize}&before=${encodeURIComponent(previous.next)}`;
  };
}
