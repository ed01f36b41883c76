import type { FormikHelpers } from 'formik';
import { useApi } from '@/api/api-provider';
import { useNotify } from '@/items/notify-field';
import { StatusBadge } from '@/ui/badge';
import { FormDialog } from '@/ui/form-dialog';
import { showFailure } from '@/ui/form-failure';
import type { StatusBadgeStyle } from '@/ui/statuses';
import { toast } from '@/ui/toast';
import {
  newUpdate,
  pastUpdateSchema,
  type Timeline,
  type UpdateFormValues,
  updateInput,
  updateSchema,
} from './timeline';
import { UpdateFields } from './update-fields';

/**
 * The dialog stays open this long for the screen to show the update. The screen may disable the button that takes the
 * focus afterwards: the focus then goes to what is left. Without a connection the screen is read much later.
 */
const maxRefreshMs = 1000;

interface RecordUpdateDialogProps {
  timeline: Timeline;
  /** Title of the incident or maintenance. */
  about: string;
  /** Current status of the incident or maintenance. */
  status: StatusBadgeStyle;
  /** The update completes a timeline that ended at this time; undefined if the timeline goes on. */
  before?: string | undefined;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Resolves once the screen shows the update. */
  onRecorded: () => Promise<unknown>;
}

export function RecordUpdateDialog({
  timeline,
  about,
  status,
  before,
  open,
  onOpenChange,
  onRecorded,
}: RecordUpdateDialogProps) {
  const api = useApi();
  const notify = useNotify();
  const isBackfilled = before !== undefined;
  const initialValues: UpdateFormValues = newUpdate;

  async function record(values: UpdateFormValues, form: FormikHelpers<UpdateFormValues>) {
    try {
      const input = updateInput(values, newUpdate);
      await api.post(timeline.endpoints.create, {
        ...input,
        notify: notify.of(values, isBackfilled),
      });
    } catch (error) {
      showFailure(form, error, timeline.texts.saveFailed);
      return;
    }
    toast.success(timeline.texts.created);
    // The update is stored, so nothing is lost by leaving.
    form.resetForm({ values, isSubmitting: true });
    await Promise.race([onRecorded(), delay(maxRefreshMs)]);
    onOpenChange(false);
  }

  return (
    <FormDialog
      open={open}
      onOpenChange={onOpenChange}
      title={isBackfilled ? 'Record Past Update' : 'Record Update'}
      description={
        <>
          {about}{' '}
          <span className="mt-1 flex items-center gap-2">
            Now: <StatusBadge {...status} />
          </span>
        </>
      }
      initialValues={initialValues}
      loading={notify.isLoading}
      validationSchema={before ? pastUpdateSchema(before) : updateSchema}
      onSubmit={record}
      submitLabel="Record Update"
      pendingLabel="Recording..."
    >
      <UpdateFields notifyHelp={timeline.notifyHelp.record} isBackfilled={isBackfilled} />
    </FormDialog>
  );
}

const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
