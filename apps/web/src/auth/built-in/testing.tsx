import { render, type RenderResult } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import { http } from 'msw';
import type { ComponentType, ReactNode } from 'react';
import { createMemoryRouter, RouterProvider } from 'react-router-dom';
import { ApiProvider } from '@/api/api-provider';
import { ConfigurationContext } from '@/api/configuration';
import type { Configuration } from '@/api/types';
import { useAuth } from '@/auth/auth';
import { endpoints } from '@/paths';
import { configuration } from '@/testing/configuration';
import { success, apiUrl, problem, server } from '@/testing/server';
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
export const looms = { id: 'org-2', name: 'Looms', role: 'editor' } as const;

export function sessionOf(changes: Partial<Session> = {}): Session {
  return {
    user: ada,
    ways: { password: true, providers: [] },
    organisations: [engines],
    activeOrganisationId: engines.id,
    ...changes,
  };
}

/** The state of the server, which a test may change. */
export function serveSession(first: Session | null) {
  const backend = { session: first };
  server.use(
    http.get(apiUrl(endpoints.identity.session), () => success(backend.session)),
    http.post(apiUrl(endpoints.identity.token), () =>
      backend.session === null
        ? problem(401, 'Please sign in')
        : success({ token: 'test-token', expiresAt: new Date(Date.now() + 300_000).toISOString() }),
    ),
  );
  return backend;
}

interface Options {
  configuration?: Partial<Configuration>;
  /** The browser's address, which may be a mailed link. */
  address?: string;
}

interface Rendered extends RenderResult {
  user: UserEvent;
  router: ReturnType<typeof createMemoryRouter>;
}

/** Renders a component for users who may see it; otherwise the state of the session. */
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
  const { getToken, reauthenticate, onOutdated } = useAuth();
  return (
    <ApiProvider getToken={getToken} reauthenticate={reauthenticate} onForbidden={onOutdated}>
      {children}
    </ApiProvider>
  );
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
