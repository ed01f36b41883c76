import useSWR from 'swr';
import type { ApiResponse } from './client';
import type { ApiError } from './error';

export interface Query<T> {
  /** Undefined until the first response. */
  data: T | undefined;
  etag: string | null;
  next: string | null;
  error: ApiError | undefined;
  isLoading: boolean;
  /** Reads the data again. */
  refresh: () => Promise<void>;
}

/** Reads `path` (one of `endpoints`); null reads nothing. */
export function useQuery<T>(path: string | null): Query<T> {
  const { data: answer, error, isLoading, mutate } = useSWR<ApiResponse<T>, ApiError>(path);
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
