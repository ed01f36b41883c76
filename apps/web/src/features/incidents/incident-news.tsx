import { useFormikContext } from 'formik';
import type { Edit } from '@/api/use-edit';
import { conflictChoices, useRebase } from '@/api/use-rebase';
import { useItemNews } from '@/realtime/realtime';
import { ConflictAlert } from '@/ui/conflict-alert';
import { formatInstant } from '@/ui/datetime';
import { incidentStatuses } from '@/ui/statuses';
import { incidentValues, type Incident, type IncidentValues } from './incident';

interface IncidentNewsProps {
  edit: Edit<Incident>;
  loaded: Incident;
}

/** Inside the form: brings in what changed on the server, and shows another person's version. */
export function IncidentNews({ edit, loaded }: IncidentNewsProps) {
  const form = useFormikContext<IncidentValues>();
  useRebase(form, edit, loaded, incidentValues);
  useItemNews('incident-updated', loaded.id, () => void edit.follow());
  if (edit.theirs === undefined) return null;

  const theirs = incidentValues(edit.theirs);
  const shown: Record<keyof IncidentValues, { label: string; value: string }> = {
    title: { label: 'Title', value: theirs.title },
    status: { label: 'Status', value: incidentStatuses[theirs.status].label },
    occuredAt: { label: 'Occurred at', value: formatInstant(theirs.occuredAt) },
    description: { label: 'Description', value: theirs.description },
  };
  const fields = Object.keys(shown) as (keyof IncidentValues)[];
  return (
    <ConflictAlert
      thing="incident"
      theirs={fields
        .filter((field) => theirs[field] !== form.values[field])
        .map((field) => shown[field])}
      {...conflictChoices(form, edit, theirs)}
    />
  );
}
