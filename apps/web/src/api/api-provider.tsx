import { createContext, use, useState, type ReactNode } from 'react';
import { SWRConfig, type SWRConfiguration } from 'swr';
import {
  createApiClient,
  type ApiClient,
  type GetToken,
  type OnForbidden,
  type Reauthenticate,
} from './client';
import { QueryCache, retainWhileMounted } from './query-cache';
import { fetchAllPages } from './fetch-all-pages';
import { SharedRetries } from './shared-retries';

const ApiContext = createContext<ApiClient | null>(null);

interface ApiProviderProps {
  getToken: GetToken;
  /** Absent if the user cannot authenticate again on this page. */
  reauthenticate?: Reauthenticate;
  onForbidden?: OnForbidden | undefined;
  children: ReactNode;
}

/** Provides an API client and a query cache. */
export function ApiProvider({ getToken, reauthenticate, onForbidden, children }: ApiProviderProps) {
  const [{ client, config }] = useState(() =>
    createQueries(createApiClient(getToken, reauthenticate, onForbidden)),
  );
  return (
    <ApiContext value={client}>
      <SWRConfig value={config}>{children}</SWRConfig>
    </ApiContext>
  );
}

export function useApi(): ApiClient {
  const client = use(ApiContext);
  if (client === null) throw new Error('useApi needs an ApiProvider above it');
  return client;
}

function createQueries(client: ApiClient) {
  const cache = new QueryCache();
  const retries = new SharedRetries();
  const config: SWRConfiguration & { provider: () => QueryCache } = {
    provider: () => cache,
    use: [retainWhileMounted(cache)],
    fetcher: (path: string) => retries.ask(path, () => fetchAllPages(client, path)),
    shouldRetryOnError: false,
    revalidateOnFocus: false,
  };
  return { client, config };
}
