import { useFormikContext } from 'formik';
import type { Edit } from '@/api/use-edit';
import { conflictChoices } from '@/api/use-rebase';
import { ConflictAlert } from '@/ui/conflict-alert';
import { incidentStatuses } from '@/ui/statuses';
import type { Update, UpdateInput } from './timeline';

/** Shows another person's version of the update that is being edited, once there is one. */
export function UpdateConflict({ edit }: { edit: Edit<Update> }) {
  const form = useFormikContext<UpdateInput>();
  const { values } = form;
  if (edit.theirs === undefined) return null;
  const { status, message } = edit.theirs;
  const fields = [
    { label: 'Status', value: incidentStatuses[status].label, differs: status !== values.status },
    { label: 'Message', value: message, differs: message !== values.message },
  ];
  return (
    <ConflictAlert
      thing="update"
      theirs={fields.filter((field) => field.differs)}
      {...conflictChoices(form, edit, { status, message })}
    />
  );
}
