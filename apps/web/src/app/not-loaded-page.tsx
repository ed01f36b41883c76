import { useLocation, useNavigate, useRouteError } from 'react-router-dom';
import { CodeNotLoaded } from '@/api/load-code';
import { useAuth } from '@/auth/auth';
import { ErrorPage } from './error-page';
import { featureOf } from './features';
import { groups } from './groups';
import { OrganisationLayout } from './layout/organisation-layout';
import { NotLoaded } from './not-loaded';

/**
 * Replaces the screens of a feature whose code could not be loaded. The screens of an organisation
 * keep their frame.
 */
export function NotLoadedPage() {
  const error = useRouteError();
  const location = useLocation();
  const navigate = useNavigate();
  const { state } = useAuth();
  if (!(error instanceof CodeNotLoaded)) return <ErrorPage />;
  const retry = () => void navigate(location, { replace: true });
  const content = <NotLoaded error={error} onRetry={retry} />;
  const isInside = featureOf(location.pathname)?.group === groups.organisation;
  if (isInside && state.status === 'signed-in' && state.organisation) {
    return <OrganisationLayout>{content}</OrganisationLayout>;
  }
  return <main className="grid min-h-dvh place-content-center">{content}</main>;
}
