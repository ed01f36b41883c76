import { render, type RenderResult } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { createMemoryRouter, Outlet, RouterProvider, type RouteObject } from 'react-router-dom';
import { ApiProvider } from '@/api/api-provider';
import { AuthContext, type Auth, type AuthState } from '@/auth/auth';
import { LeaveGuard } from '@/ui/leave-guard';
import { Toaster } from '@/ui/toaster';

export const signedIn: AuthState = {
  status: 'signed-in',
  user: { id: 'user-1', name: 'Ada Lovelace', email: 'ada@example.com' },
  organisation: { id: 'org-1', name: 'Analytical Engines', role: 'admin' },
};

interface RenderOptions {
  /** Where the router starts. */
  path?: string;
  auth?: AuthState;
  /** More routes, for what the screen navigates to. */
  routes?: RouteObject[];
}

export interface Rendered extends RenderResult {
  user: UserEvent;
  router: ReturnType<typeof createMemoryRouter>;
}

/** Renders a screen as the app does: router, signed-in person, toaster, and a query cache of its own. */
export function renderScreen(
  ui: ReactNode,
  { path = '/', auth = signedIn, routes = [] }: RenderOptions = {},
): Rendered {
  return renderRoutes([...routes, { path: '*', element: ui }], { path, auth });
}

/** Renders routes, for what depends on route parameters or on history. */
export function renderRoutes(
  routes: RouteObject[],
  { path = '/', auth = signedIn }: Omit<RenderOptions, 'routes'> = {},
): Rendered {
  const router = createMemoryRouter([{ element: <Around />, children: routes }], {
    initialEntries: [path],
  });
  const user = userEvent.setup();
  const session: Auth = {
    state: auth,
    getToken: () => Promise.resolve(auth.status === 'signed-in' ? 'test-token' : null),
    signOut: () => Promise.resolve(),
  };
  const result = render(
    <AuthContext value={session}>
      <ApiProvider getToken={session.getToken}>
        <RouterProvider router={router} />
        <Toaster />
      </ApiProvider>
    </AuthContext>,
  );
  return { ...result, user, router };
}

/** What the app has around every screen. */
function Around() {
  return (
    <>
      <Outlet />
      <LeaveGuard />
    </>
  );
}
