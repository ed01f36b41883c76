import { useFormikContext } from 'formik';
import type { Edit } from '@/api/use-edit';
import { conflictChoices, useRebase } from '@/api/use-rebase';
import { useItemNews } from '@/realtime/realtime';
import { ConflictAlert } from '@/ui/conflict-alert';
import { Timestamp } from '@/ui/timestamp';
import { maintenanceValues, type Maintenance, type MaintenanceValues } from './maintenance';

interface MaintenanceNewsProps {
  edit: Edit<Maintenance>;
  loaded: Maintenance;
}

/** Inside the form: brings in what changed on the server, and shows another person's version. */
export function MaintenanceNews({ edit, loaded }: MaintenanceNewsProps) {
  const form = useFormikContext<MaintenanceValues>();
  useRebase(form, edit, loaded, maintenanceValues);
  useItemNews('maintenance-updated', loaded.id, () => void edit.follow());
  if (edit.theirs === undefined) return null;

  const theirs = maintenanceValues(edit.theirs);
  const shown = {
    title: { label: 'Title', value: theirs.title },
    startAt: { label: 'Start at', value: <Timestamp value={theirs.startAt} /> },
    endAt: { label: 'End at', value: <Timestamp value={theirs.endAt} /> },
    description: { label: 'Description', value: theirs.description },
  };
  const fields = Object.keys(shown) as (keyof MaintenanceValues)[];
  return (
    <ConflictAlert
      thing="maintenance"
      theirs={fields
        .filter((field) => theirs[field] !== form.values[field])
        .map((field) => shown[field])}
      {...conflictChoices(form, edit, theirs)}
    />
  );
}
