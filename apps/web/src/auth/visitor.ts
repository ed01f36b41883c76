import { createApiClient, type GetToken } from '@/api/client';
import type { Configuration } from '@/api/types';
import { calls } from '@/paths';

/** Somebody who is signed in with an organisation, on a page that has nothing to do with signing in. */
export interface Visitor {
  getToken: GetToken;
}

type Implementations = Record<
  Configuration['identityProvider'],
  (configuration: Configuration) => Promise<Visitor | null>
>;

const implementations: Implementations = {
  'built-in': async () => (await import('./built-in/visitor')).readVisitor(),
  clerk: async (configuration) => (await import('./clerk/visitor')).readVisitor(configuration),
};

/** Asks who is there; null for nobody, and where it cannot be known. */
export async function loadVisitor(): Promise<Visitor | null> {
  const api = createApiClient(() => Promise.resolve(null));
  const { data } = await api.get<Configuration>(calls.configuration);
  return implementations[data.identityProvider](data);
}
