import useSWR from 'swr';
import type { ApiResponse } from './client';
import type { ApiError } from './error';

export interface Query<T> {
  /** Undefined until the first response. */
  data: T | undefined;
  etag: string | null;
  next: string | null;
  error: ApiError | undefined;
  /** Reads the data again; the new ETag. */
  refresh: () => Promise<string | null>;
}

/** Reads `path` (one of `endpoints`); null reads nothing. */
export function useQuery<T>(path: string | null): Query<T> {
  const { data: response, error, mutate } = useSWR<ApiResponse<T>, ApiError>(path);
  return {
    data: response?.data,
    etag: response?.etag ?? null,
    next: response?.next ?? null,
    error,
    refresh: async () => (await mutate())?.etag ?? null,
  };
}
