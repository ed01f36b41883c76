import type { FormikHelpers } from 'formik';
import { useApi } from '@/api/api-provider';
import { formErrors } from '@/api/form-errors';
import { FormDialog } from '@/ui/form-dialog';
import { toast } from '@/ui/toast';
import type { Timeline, UpdateInput } from './timeline';
import { UpdateFields } from './update-fields';
import { newUpdate, updateSchema } from './update-schema';

interface RecordUpdateDialogProps {
  timeline: Timeline;
  /** What the update is about: the title of the incident or maintenance. */
  about: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onRecorded: () => void;
}

export function RecordUpdateDialog({
  timeline,
  about,
  open,
  onOpenChange,
  onRecorded,
}: RecordUpdateDialogProps) {
  const api = useApi();

  async function record(values: UpdateInput, form: FormikHelpers<UpdateInput>) {
    try {
      await api.post(timeline.calls.create, values);
    } catch (error) {
      form.setErrors(formErrors(error));
      form.setStatus(error);
      toast.error(timeline.texts.saveFailed);
      return;
    }
    toast.success(timeline.texts.created);
    onOpenChange(false);
    onRecorded();
  }

  return (
    <FormDialog
      open={open}
      onOpenChange={onOpenChange}
      title="Record Update"
      description={about}
      initialValues={newUpdate}
      validationSchema={updateSchema}
      onSubmit={record}
      submitLabel="Record Update"
      pendingLabel="Recording..."
    >
      <UpdateFields />
    </FormDialog>
  );
}
