import type { RouteObject } from 'react-router-dom';
import { loadCode } from '@/api/load-code';
import { paths, routes as patterns } from '@/paths';
import { ErrorPage, ScreenError } from './error-page';
import { groups } from './groups';
import { OnboardingOnly, OrganisationOnly, SignedOutOnly } from './guards';
import {
  LoginScreen,
  OnboardingScreen,
  OrganisationProfileScreen,
  SignedInScreen,
  WaitlistScreen,
} from './identity-screens';
import { OrganisationLayout } from './layout/organisation-layout';
import { NotFoundPage } from './not-found-page';
import { NotLoadedPage } from './not-loaded-page';
import { Root } from './root';

export const routes: RouteObject[] = [
  {
    id: groups.everyone,
    Component: Root,
    ErrorBoundary: ErrorPage,
    children: [
      {
        id: groups.signedOut,
        Component: SignedOutOnly,
        children: [{ path: paths.login, Component: LoginScreen }],
      },
      { path: paths.signedIn, Component: SignedInScreen },
      {
        Component: OnboardingOnly,
        children: [{ path: paths.onboarding, Component: OnboardingScreen }],
      },
      {
        Component: OrganisationOnly,
        children: [
          {
            Component: OrganisationLayout,
            children: [
              {
                // After an error of a screen the navigation remains.
                id: groups.organisation,
                ErrorBoundary: ScreenError,
                children: [
                  { path: paths.organisation, Component: OrganisationProfileScreen },
                  { path: paths.waitlist, Component: WaitlistScreen },
                ],
              },
            ],
          },
        ],
      },
      {
        path: patterns.status,
        lazy: async () => ({
          Component: (await loadCode(() => import('./status-screen'))).StatusScreen,
        }),
      },
      // While the code of a feature is not loaded, its paths belong to this route.
      { path: '*', Component: NotFoundPage, ErrorBoundary: NotLoadedPage },
    ],
  },
];
