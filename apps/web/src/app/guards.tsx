import { Navigate, Outlet } from 'react-router-dom';
import { useAuth } from '@/auth/auth';
import { StartingScreen } from '@/auth/start-screens';
import { paths } from '@/paths';

/** The landing page and the sign-in page: whoever is signed in has better places. */
export function SignedOutOnly() {
  const { state } = useAuth();
  switch (state.status) {
    case 'loading':
      return <StartingScreen />;
    case 'signed-out':
      return <Outlet />;
    case 'signed-in':
      return <Navigate to={state.organisation ? paths.dashboard : paths.onboarding} replace />;
  }
}

/** Signed in, without an organisation. */
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

/** Signed in, with an organisation. */
export function OrganisationOnly() {
  const { state } = useAuth();
  switch (state.status) {
    case 'loading':
      return <StartingScreen />;
    case 'signed-out':
      return <Navigate to={paths.landing} replace />;
    case 'signed-in':
      return state.organisation ? <Outlet /> : <Navigate to={paths.onboarding} replace />;
  }
}
