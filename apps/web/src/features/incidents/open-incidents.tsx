import { useFormikContext } from 'formik';
import { Fragment, useState } from 'react';
import { Link } from 'react-router-dom';
import { serverNow } from '@/api/server-clock';
import { paths } from '@/paths';
import { Alert } from '@/ui/alert';
import type { Incident } from './incident';

/** Maximum number of incidents that are named. */
const most = 5;

interface OpenIncidentsProps {
  incidents: readonly Incident[];
}

/** Names the open incidents; nothing if there are none. */
export function OpenIncidents({ incidents }: OpenIncidentsProps) {
  if (incidents.length === 0) return null;
  const rest = incidents.length - most;
  return (
    <p className="wrap-anywhere text-muted">
      Open incidents:{' '}
      {incidents.slice(0, most).map(({ id, title }, index) => (
        <Fragment key={id}>
          {index > 0 && ', '}
          <Link to={paths.incidents.edit(id)} className="text-ink underline underline-offset-4">
            <bdi>{title}</bdi>
          </Link>
        </Fragment>
      ))}
      {rest > 0 && ` and ${rest} more`}
    </p>
  );
}

interface NewlyOpenedProps extends OpenIncidentsProps {
  /** Whether the form is saved: its own incident is open then. */
  isSaved: boolean;
}

/** Inside the form of a new incident: those that others have opened since the form is shown. */
export function NewlyOpened({ incidents, isSaved }: NewlyOpenedProps) {
  const { isSubmitting } = useFormikContext();
  const [since] = useState(() => serverNow().toISOString());
  // The event of the form's own incident may arrive before the response.
  if (isSubmitting || isSaved) return null;
  return incidents
    .filter(({ createdAt }) => createdAt >= since)
    .map(({ id, title }) => (
      <Alert
        key={id}
        kind="warning"
        title={
          <>
            <bdi className="wrap-anywhere">“{title}”</bdi> was opened just now. Record an update
            there instead?
          </>
        }
        action={
          <Link to={paths.incidents.edit(id)} className="underline">
            Open this incident
          </Link>
        }
      />
    ));
}
