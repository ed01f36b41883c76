import { render } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http } from 'msw';
import { useEffect, useState } from 'react';
import { createMemoryRouter } from 'react-router-dom';
import { ConfigurationContext } from '@/api/configuration';
import type { Configuration } from '@/api/types';
import { AuthContext, IdentityContext, type AuthState, type IdentityProvider } from '@/auth/auth';
import { aDashboard } from '@/features/dashboard/fixtures';
import { noMetrics } from '@/features/metrics/fixtures';
import { endpoints } from '@/paths';
import { configuration } from '@/testing/configuration';
import { apiUrl, server, success } from '@/testing/server';
import { Toaster } from '@/ui/toaster';
import { loadFeatures } from './features';
import { routes } from './routes';
import { Session } from './session';

const identity: IdentityProvider = {
  Provider: ({ children }) => children,
  SignIn: () => <h1>Sign in</h1>,
  Onboarding: () => <h1>Onboarding</h1>,
  UserMenu: ({ onDone }) => <button onClick={onDone}>Ada Lovelace</button>,
  OrganisationSwitcher: () => <button>Switch organisation</button>,
  OrganisationProfile: () => <h1>Organisation</h1>,
  SignedIn: null,
  Waitlist: null,
};

export const signedIn = {
  status: 'signed-in',
  user: { id: 'user-1', name: 'Ada Lovelace', email: 'ada@example.com' },
  organisation: { id: 'org-1', name: 'Analytical Engines', role: 'admin' },
} satisfies AuthState;

export const withoutOrganisation: AuthState = { ...signedIn, organisation: null };

/** Serves the dashboard and the metrics of an organisation in which nothing has happened. */
export function serveOverviews(): void {
  server.use(
    http.get(apiUrl(endpoints.dashboard), () => success(aDashboard())),
    http.get(apiUrl('/metrics'), () => success(noMetrics())),
  );
}

interface AppOptions {
  auth?: AuthState;
  configuration?: Partial<Configuration>;
}

/** Renders the whole app at `path`, with an identity provider in the given state. */
export function renderApp(path: string, { auth = signedIn, configuration: more }: AppOptions = {}) {
  const router = createMemoryRouter(routes, {
    initialEntries: [path],
    patchRoutesOnNavigation: loadFeatures,
  });
  let become: (state: AuthState) => void = () => undefined;

  function App() {
    const [state, setState] = useState(auth);
    useEffect(() => {
      become = setState;
    }, []);
    const [session] = useState(() => ({
      getToken: () => Promise.resolve('test-token'),
      reauthenticate: () => Promise.resolve(false),
      refresh: () => Promise.resolve(),
    }));
    return (
      <ConfigurationContext value={{ ...configuration, ...more }}>
        <IdentityContext value={identity}>
          <AuthContext value={{ ...session, state }}>
            <Session router={router} />
          </AuthContext>
        </IdentityContext>
        <Toaster />
      </ConfigurationContext>
    );
  }

  return {
    ...render(<App />),
    router,
    user: userEvent.setup(),
    /** Changes the state of the identity provider. */
    become: (state: AuthState) => become(state),
  };
}
