import { render, type RenderResult } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { createMemoryRouter, Outlet, RouterProvider, type RouteObject } from 'react-router-dom';
import { ApiProvider } from '@/api/api-provider';
import { ConfigurationContext } from '@/api/configuration';
import type { Configuration } from '@/api/types';
import { AuthContext, type Auth, type AuthState, type Role } from '@/auth/auth';
import { LeaveGuard } from '@/ui/leave-guard';
import { Toaster } from '@/ui/toaster';
import { configuration } from './configuration';

export const signedIn = {
  status: 'signed-in',
  user: { id: 'user-1', name: 'Ada Lovelace', email: 'ada@example.com' },
  organisation: { id: 'org-1', name: 'Analytical Engines', role: 'admin' },
} satisfies AuthState;

/** A user of this role. */
export function signedInAs(role: Role): AuthState {
  return { ...signedIn, organisation: { ...signedIn.organisation, role } };
}

interface RenderOptions {
  /** The initial path. */
  path?: string;
  auth?: AuthState;
  /** What differs from the usual configuration. */
  configuration?: Partial<Configuration>;
  /** Further routes that the screen navigates to. */
  routes?: RouteObject[];
}

export interface Rendered extends RenderResult {
  user: UserEvent;
  router: ReturnType<typeof createMemoryRouter>;
  /** Changes the session, as another admin does who changes the user's role. */
  become: (auth: AuthState) => void;
}

/** Renders a screen with router, signed-in user, toaster and a query cache. */
export function renderScreen(
  ui: ReactNode,
  { routes = [], ...options }: RenderOptions = {},
): Rendered {
  return renderRoutes([...routes, { path: '*', element: ui }], options);
}

/** Renders routes, for screens that depend on route parameters or history. */
export function renderRoutes(
  routes: RouteObject[],
  { path = '/', auth = signedIn, configuration: changes = {} }: Omit<RenderOptions, 'routes'> = {},
): Rendered {
  const router = createMemoryRouter([{ element: <Around />, children: routes }], {
    initialEntries: [path],
  });
  const user = userEvent.setup();
  const session: Auth = {
    state: auth,
    getToken: () => Promise.resolve(auth.status === 'signed-in' ? 'test-token' : null),
    reauthenticate: () => Promise.resolve(false),
    refresh: () => Promise.resolve(),
  };
  const app = (state: AuthState) => (
    <ConfigurationContext value={{ ...configuration, ...changes }}>
      <AuthContext value={{ ...session, state }}>
        <ApiProvider getToken={session.getToken}>
          <RouterProvider router={router} />
          <Toaster />
        </ApiProvider>
      </AuthContext>
    </ConfigurationContext>
  );
  const result = render(app(auth));
  return { ...result, user, router, become: (state) => result.rerender(app(state)) };
}

/** The app's frame of every screen. */
function Around() {
  return (
    <>
      <Outlet />
      <LeaveGuard />
    </>
  );
}
