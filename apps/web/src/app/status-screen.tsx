import { useParams } from 'react-router-dom';
import { StatusPage } from '@/features/status-page/status-page';

/** The public page within the app; from elsewhere the server answers it as a page of its own. */
export function StatusScreen() {
  const { orgId = '' } = useParams();
  return <StatusPage key={orgId} orgId={orgId} />;
}
