import { Navigate, Outlet } from 'react-router-dom';
import { useAuth } from '@/auth/auth';
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
      return <Navigate to={state.organisation ? paths.dashboard : paths.onboarding} replace />;
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

/** For signed-in users with an organisation. */
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
