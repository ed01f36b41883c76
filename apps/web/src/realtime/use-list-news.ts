import { useEffect } from 'react';
import { useSWRConfig } from 'swr';
import { useApi } from '@/api/api-provider';
import type { Answer } from '@/api/client';
import { useChangeLists, useReadAnew } from '@/api/use-list';
import type { Connection } from './connection';
import { ListNews } from './list-news';

/** Keeps every list of the query cache in step with the connection. */
export function useListNews(connection: Connection | null): void {
  const api = useApi();
  const { cache, mutate } = useSWRConfig();
  const change = useChangeLists();
  const readAnew = useReadAnew();
  useEffect(
    () =>
      connection?.follow(
        new ListNews({
          api,
          change,
          readAnew,
          rows: (path) => (cache.get(path)?.data as Answer<{ id: string }[]> | undefined)?.data,
          known: (paths) => [...cache.keys()].filter((key) => paths.test(key)),
          refresh: (paths) => void mutate((key) => typeof key === 'string' && paths.test(key)),
        }),
      ),
    [connection, api, cache, mutate, change, readAnew],
  );
}
