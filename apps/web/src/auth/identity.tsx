import { useCallback, useEffect, useState, type ReactNode } from 'react';
import { anonymousApi } from '@/api/anonymous-api';
import { ConfigurationContext } from '@/api/configuration';
import { ApiError } from '@/api/error';
import type { Configuration } from '@/api/types';
import { endpoints } from '@/paths';
import { IdentityContext, type IdentityProvider, type Navigate } from './auth';
import { StartFailureScreen, StartingScreen } from './start-screens';

type Implementations = Record<Configuration['identityProvider'], () => Promise<IdentityProvider>>;

/** Each provider is a separate chunk, loaded if it is in use. */
const implementations: Implementations = {
  'built-in': async () => (await import('./built-in/built-in')).builtIn,
  clerk: async () => (await import('./clerk/clerk')).clerk,
};

type Start =
  | { status: 'starting' }
  | { status: 'failed'; message: string }
  | { status: 'started'; configuration: Configuration; identity: IdentityProvider };

interface IdentityProps {
  navigate: Navigate;
  children: ReactNode;
}

/** Reads the configuration of the installation and provides its identity provider. */
export function Identity({ navigate, children }: IdentityProps) {
  const [start, retry] = useStart();
  if (start.status === 'starting') return <StartingScreen />;
  if (start.status === 'failed') {
    return <StartFailureScreen message={start.message} onRetry={retry} />;
  }
  const { configuration, identity } = start;
  return (
    <ConfigurationContext value={configuration}>
      <IdentityContext value={identity}>
        <identity.Provider navigate={navigate}>{children}</identity.Provider>
      </IdentityContext>
    </ConfigurationContext>
  );
}

function useStart(): [Start, () => void] {
  const [start, setStart] = useState<Start>({ status: 'starting' });
  const [attempt, setAttempt] = useState(0);

  useEffect(() => {
    let wanted = true;
    void load()
      .catch((error: unknown): Start => ({ status: 'failed', message: messageOf(error) }))
      .then((next) => wanted && setStart(next));
    return () => {
      wanted = false;
    };
  }, [attempt]);

  const retry = useCallback(() => {
    setStart({ status: 'starting' });
    setAttempt((made) => made + 1);
  }, []);
  return [start, retry];
}

async function load(): Promise<Start> {
  const { data: configuration } = await anonymousApi.get<Configuration>(endpoints.configuration);
  const identity = await implementations[configuration.identityProvider]();
  return { status: 'started', configuration, identity };
}

/** The browser's message about a chunk that could not be loaded is replaced. */
function messageOf(error: unknown): string {
  return (error instanceof ApiError ? error : ApiError.unreachable()).message;
}
