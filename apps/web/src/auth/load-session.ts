import { anonymousApi } from '@/api/anonymous-api';
import type { GetToken } from '@/api/client';
import type { Configuration } from '@/api/types';
import { endpoints } from '@/paths';

/** A session with an organisation, for a page without sign-in. */
export interface OrganisationSession {
  getToken: GetToken;
}

type Implementations = Record<
  Configuration['identityProvider'],
  (configuration: Configuration) => Promise<OrganisationSession | null>
>;

const implementations: Implementations = {
  'built-in': async () => (await import('./built-in/load-session')).loadSession(),
  clerk: async (configuration) => (await import('./clerk/load-session')).loadSession(configuration),
};

/** Loads the current session; null without a session or an organisation. */
export async function loadSession(): Promise<OrganisationSession | null> {
  const { data } = await anonymousApi.get<Configuration>(endpoints.configuration);
  return implementations[data.identityProvider](data);
}
