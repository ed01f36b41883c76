import { useEffect } from 'react';
import { Navigate, Outlet, useLocation } from 'react-router-dom';
import { useAuth } from '@/auth/auth';
import { forgetPath, keepPath, pathAfterSignIn, useArrivedSignedOut } from '@/auth/kept-path';
import { StartingScreen } from '@/auth/start-screens';
import { paths } from '@/paths';

/** For the landing page and the sign-in page: redirects signed-in users. */
export function SignedOutOnly() {
  const { state } = useAuth();
  switch (state.status) {
    case 'loading':
      return <StartingScreen />;
    case 'signed-out':
      return <Outlet />;
    case 'signed-in':
      return <Navigate to={state.organisation ? pathAfterSignIn() : paths.onboarding} replace />;
  }
}

/** For signed-in users without an organisation. */
export function OnboardingOnly() {
  const { state } = useAuth();
  switch (state.status) {
    case 'loading':
      return <StartingScreen />;
    case 'signed-out':
      return <Navigate to={paths.landing} replace />;
    case 'signed-in':
      return state.organisation ? <Navigate to={paths.dashboard} replace /> : <Outlet />;
  }
}

/**
 * For signed-in users with an organisation. A visitor who has followed a link to a screen gets
 * there after the sign-in.
 */
export function OrganisationOnly() {
  const { state } = useAuth();
  const { pathname, search, hash } = useLocation();
  const path = pathname + search + hash;
  const isArrival = useArrivedSignedOut();
  const isInside = state.status === 'signed-in' && state.organisation !== null;
  useEffect(() => {
    if (isInside) forgetPath();
    else if (isArrival) keepPath(path);
  }, [isInside, isArrival, path]);
  switch (state.status) {
    case 'loading':
      return <StartingScreen />;
    case 'signed-out':
      return <Navigate to={paths.landing} replace />;
    case 'signed-in':
      return state.organisation ? <Outlet /> : <Navigate to={paths.onboarding} replace />;
  }
}
