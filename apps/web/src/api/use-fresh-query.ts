import { useId } from 'react';
import useSWR from 'swr';
import { useApi } from './api-provider';
import type { ApiClient, ApiResponse } from './client';
import type { ApiError } from './error';
import { withRetries } from './retry';

/** Reads an item; throws `ApiError`. */
export type ReadItem<T> = (api: ApiClient, path: string) => Promise<ApiResponse<T>>;

export interface FreshQuery<T> {
  /** Undefined until the first response. */
  response: ApiResponse<T> | undefined;
  error: ApiError | undefined;
  /** Reads the item again. */
  refresh: () => Promise<unknown>;
}

/**
 * Reads an item (`path` is one of `endpoints`) for a form, which must not start from a cached
 * version.
 */
export function useFreshQuery<T>(
  path: string,
  readItem: ReadItem<T> = (api, path) => api.get<T>(path),
): FreshQuery<T> {
  const api = useApi();
  const mountId = useId();
  // The key is unique to this mount.
  const { data, error, mutate } = useSWR<ApiResponse<T>, ApiError>(
    [path, mountId],
    () => withRetries(() => readItem(api, path)),
    { revalidateOnReconnect: false },
  );
  return { response: data, error, refresh: () => mutate() };
}
