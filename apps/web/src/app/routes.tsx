import type { RouteObject } from 'react-router-dom';
import { paths, routes as patterns } from '@/paths';
import { ErrorPage, ScreenError } from './error-page';
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
import { Root } from './root';

/** Ids of the routes to which features.ts adds the features' screens, by the users who may see them. */
export const groups = {
  everyone: 'everyone',
  signedOut: 'signed-out',
  organisation: 'organisation',
} as const;

export type Group = (typeof groups)[keyof typeof groups];

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
        lazy: async () => ({ Component: (await import('./status-screen')).StatusScreen }),
      },
      { path: '*', Component: NotFoundPage },
    ],
  },
];
