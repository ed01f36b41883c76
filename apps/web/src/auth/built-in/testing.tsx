import { render, type RenderResult } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import { http } from 'msw';
import type { ComponentType, ReactNode } from 'react';
import { createMemoryRouter, RouterProvider } from 'react-router-dom';
import { ApiProvider } from '@/api/api-provider';
import { ConfigurationContext } from '@/api/configuration';
import type { Configuration } from '@/api/types';
import { useAuth } from '@/auth/auth';
import { calls } from '@/paths';
import { answer, apiUrl, problem, server } from '@/testing/server';
import { LeaveGuard } from '@/ui/leave-guard';
import { Toaster } from '@/ui/toaster';
import { Provider } from './provider';
import type { Session } from './types';

export const ada = {
  id: 'user-1',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  administrator: false,
  needsAddress: false,
};

export const engines = { id: 'org-1', name: 'Analytical Engines', role: 'admin' } as const;
export const looms = { id: 'org-2', name: 'Looms', role: 'member' } as const;

export function sessionOf(changes: Partial<Session> = {}): Session {
  return { user: ada, organisations: [engines], activeOrganisationId: engines.id, ...changes };
}

/** The server's side of the session, which a test may change under the page's feet. */
export function serveSession(first: Session | null) {
  const held = { session: first };
  server.use(
    http.get(apiUrl(calls.identity.session), () => answer(held.session)),
    http.post(apiUrl(calls.identity.token), () =>
      held.session === null
        ? problem(401, 'Please sign in')
        : answer({ token: 'test-token', expiresAt: new Date(Date.now() + 300_000).toISOString() }),
    ),
  );
  return held;
}

export const configuration: Configuration = {
  identityProvider: 'built-in',
  clerkPublishableKey: null,
  signUp: 'open',
  mailServer: true,
  firstAccount: false,
  discordUrl: null,
  sponsorUrl: null,
  version: '0.1.0',
};

interface Options {
  configuration?: Partial<Configuration>;
  /** Where the browser is, mailed links included. */
  address?: string;
}

interface Rendered extends RenderResult {
  user: UserEvent;
  router: ReturnType<typeof createMemoryRouter>;
}

/** One of the provider's pieces where somebody is who may see it; else a line that says who is there. */
export function renderPiece(
  Piece: ComponentType,
  shownTo: 'signed-out' | 'signed-in',
  { configuration: changes = {}, address = '/' }: Options = {},
): Rendered {
  window.history.replaceState(null, '', address);
  const router = createMemoryRouter([
    { path: '*', element: <WhoIsThere Piece={Piece} shownTo={shownTo} /> },
  ]);
  const user = userEvent.setup();
  const result = render(
    <ConfigurationContext value={{ ...configuration, ...changes }}>
      <Provider>
        <Queries>
          <RouterProvider router={router} />
        </Queries>
      </Provider>
      <Toaster />
    </ConfigurationContext>,
  );
  return { ...result, user, router };
}

function Queries({ children }: { children: ReactNode }) {
  return <ApiProvider getToken={useAuth().getToken}>{children}</ApiProvider>;
}

function WhoIsThere({ Piece, shownTo }: { Piece: ComponentType; shownTo: string }) {
  const { state } = useAuth();
  const organisation = state.status === 'signed-in' ? state.organisation : null;
  return (
    <>
      <p data-testid="who">
        {state.status}
        {organisation && ` in ${organisation.name}`}
      </p>
      {state.status === shownTo && <Piece />}
      <LeaveGuard />
    </>
  );
}
