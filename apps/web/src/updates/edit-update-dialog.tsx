import type { FormikHelpers } from 'formik';
import { EditConflict } from '@/items/edit-merge';
import { useEdit } from '@/items/use-edit';
import { FormDialog } from '@/ui/form-dialog';
import { showFailure } from '@/ui/form-failure';
import { incidentStatuses } from '@/ui/statuses';
import { toast } from '@/ui/toast';
import { useLeaveOnError } from '@/ui/use-leave-on-error';
import { type Timeline, type Update, type UpdateInput, updateSchema } from './timeline';
import { UpdateFields } from './update-fields';

interface EditUpdateDialogProps {
  timeline: Timeline;
  updateId: string;
  onClose: () => void;
  onSaved: () => void;
}

/** Edits the current version of an update. Mounted while it is open. */
export function EditUpdateDialog({ timeline, updateId, onClose, onSaved }: EditUpdateDialogProps) {
  const edit = useEdit<Update>(timeline.endpoints.item(updateId));
  useLeaveOnError(edit.error !== undefined, timeline.texts.loadFailed, onClose);

  async function save(values: UpdateInput, form: FormikHelpers<UpdateInput>) {
    try {
      await edit.save(values);
    } catch (error) {
      showFailure(form, error, timeline.texts.saveFailed);
      return;
    }
    toast.success(timeline.texts.modified);
    onClose();
    onSaved();
  }

  return (
    <FormDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Edit Update"
      initialValues={edit.loaded && updateValues(edit.loaded)}
      validationSchema={updateSchema}
      onSubmit={save}
      submitLabel="Update"
      pendingLabel="Updating..."
    >
      <UpdateFields />
      <EditConflict
        edit={edit}
        noun="update"
        valuesOf={updateValues}
        describe={(theirs) => ({
          status: { label: 'Status', value: incidentStatuses[theirs.status].label },
          message: { label: 'Message', value: theirs.message },
        })}
      />
    </FormDialog>
  );
}

function updateValues({ status, message }: Update): UpdateInput {
  return { status, message };
}
