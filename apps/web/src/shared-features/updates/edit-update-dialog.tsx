import type { FormikHelpers } from 'formik';
import type { Update } from '@/api/types';
import { MergeRemoteVersion } from '@/items/live-update';
import { useNotify } from '@/items/notify-field';
import { useEdit } from '@/items/use-edit';
import type { LiveEvent } from '@/realtime/live-events';
import { useChanges } from '@/realtime/realtime';
import { FormDialog } from '@/ui/form-dialog';
import { showFailure } from '@/ui/form-failure';
import { incidentStatuses } from '@/ui/statuses';
import { Timestamp } from '@/ui/timestamp';
import { toast } from '@/ui/toast';
import { useLeaveOnError } from '@/ui/use-leave-on-error';
import {
  type Timeline,
  type UpdateFormValues,
  updateInput,
  updateSchema,
  updateValues,
} from './timeline';
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
  const notify = useNotify();
  const help = timeline.notifyHelp.edit;
  const initialValues: UpdateFormValues | undefined = edit.loaded && updateValues(edit.loaded);
  useChanges(
    (event) => isAbout(event, updateId),
    () => void edit.refresh(),
  );
  useLeaveOnError(edit.error !== undefined, timeline.texts.loadFailed, onClose);

  async function save(values: UpdateFormValues, form: FormikHelpers<UpdateFormValues>) {
    const before = edit.loaded ? updateValues(edit.loaded) : values;
    try {
      await edit.save({
        ...updateInput(values, before),
        ...(help !== undefined && { notify: notify.of(values) }),
      });
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
      initialValues={initialValues}
      loading={help !== undefined && notify.isLoading}
      validationSchema={updateSchema}
      onSubmit={save}
      submitLabel="Update"
      pendingLabel="Updating..."
    >
      <UpdateFields notifyHelp={help} />
      {edit.loaded && (
        <MergeRemoteVersion
          edit={edit}
          loaded={edit.loaded}
          noun="update"
          valuesOf={updateValues}
          describe={(remote) => ({
            status: { label: 'Status', value: incidentStatuses[remote.status].label },
            message: { label: 'Message', value: remote.message },
            displayAt: {
              label: 'Displayed at',
              value: <Timestamp value={remote.displayAt} fallback="When it was recorded" />,
            },
          })}
        />
      )}
    </FormDialog>
  );
}

function isAbout({ name, args }: LiveEvent, updateId: string): boolean {
  if (name === 'timeline-updated' || name === 'maintenance-timeline-updated') {
    return args[0].id === updateId;
  }
  return name.endsWith('timeline-deleted') && args[1] === updateId;
}
