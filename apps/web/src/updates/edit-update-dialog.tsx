import type { FormikHelpers } from 'formik';
import { formErrors } from '@/api/form-errors';
import { useEdit } from '@/api/use-edit';
import { FormDialog } from '@/ui/form-dialog';
import { toast } from '@/ui/toast';
import { useLeaveOnError } from '@/ui/use-leave-on-error';
import type { Timeline, Update, UpdateInput } from './timeline';
import { UpdateConflict } from './update-conflict';
import { UpdateFields } from './update-fields';
import { updateSchema } from './update-schema';

interface EditUpdateDialogProps {
  timeline: Timeline;
  updateId: string;
  onClose: () => void;
  onSaved: () => void;
}

/** Edits the update as it is on the server now. Mounted while it is open. */
export function EditUpdateDialog({ timeline, updateId, onClose, onSaved }: EditUpdateDialogProps) {
  const edit = useEdit<Update>(timeline.calls.item(updateId));
  useLeaveOnError(edit.error !== undefined, timeline.texts.loadFailed, onClose);

  async function save(values: UpdateInput, form: FormikHelpers<UpdateInput>) {
    try {
      await edit.save(values);
    } catch (error) {
      form.setErrors(formErrors(error));
      form.setStatus(error);
      toast.error(timeline.texts.saveFailed);
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
      initialValues={edit.loaded && { status: edit.loaded.status, message: edit.loaded.message }}
      validationSchema={updateSchema}
      onSubmit={save}
      submitLabel="Update"
      pendingLabel="Updating..."
    >
      <UpdateFields />
      <UpdateConflict edit={edit} />
    </FormDialog>
  );
}
