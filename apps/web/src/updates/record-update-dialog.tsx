import type { FormikHelpers } from 'formik';
import { useApi } from '@/api/api-provider';
import { FormDialog } from '@/ui/form-dialog';
import { showFailure } from '@/ui/form-failure';
import { toast } from '@/ui/toast';
import { newUpdate, type Timeline, type UpdateInput, updateSchema } from './timeline';
import { UpdateFields } from './update-fields';

interface RecordUpdateDialogProps {
  timeline: Timeline;
  /** Title of the incident or maintenance. */
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
      await api.post(timeline.endpoints.create, values);
    } catch (error) {
      showFailure(form, error, timeline.texts.saveFailed);
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
