import { useEffect, useState } from 'react';
import { createBrowserRouter, RouterProvider, type RouteObject } from 'react-router-dom';
import { ApiProvider } from '@/api/api-provider';
import { StartingScreen } from '@/auth/start-screens';
import { linkRoutes } from '@/features/subscribers/link-routes';

/** Whether a path is the target of a link in mails to subscribers. */
export function isMailedLink(path: string): boolean {
  return linkRoutes.some((route) => route.path === path.replace(/(.)\/$/, '$1'));
}

/**
 * The other pages are loaded from the server: on the domain of an organisation they are not part of
 * the app.
 */
const routes: RouteObject[] = [...linkRoutes, { path: '*', Component: OtherPage }];

/**
 * The target of a link in mails. It needs no identity provider, which the domain of an organisation
 * does not have.
 */
export function MailedLink() {
  const [router] = useState(() => createBrowserRouter(routes));
  return (
    <ApiProvider getToken={() => Promise.resolve(null)}>
      <RouterProvider router={router} />
    </ApiProvider>
  );
}

function OtherPage() {
  useEffect(() => {
    window.location.reload();
  }, []);
  return <StartingScreen />;
}
