import useSWR from 'swr';
import type { Answer } from './client';
import type { ApiError } from './error';

export interface Query<T> {
  /** Undefined until the first answer has come. */
  data: T | undefined;
  etag: string | null;
  next: string | null;
  error: ApiError | undefined;
  isLoading: boolean;
  /** Asks anew, and answers when the newest data is in. */
  refresh: () => Promise<void>;
}

/** Reads `path` (one of `calls`); null reads nothing. */
export function useQuery<T>(path: string | null): Query<T> {
  const { data: answer, error, isLoading, mutate } = useSWR<Answer<T>, ApiError>(path);
  return {
    data: answer?.data,
    etag: answer?.etag ?? null,
    next: answer?.next ?? null,
    error,
    isLoading,
    refresh: async () => {
      await mutate();
    },
  };
}
