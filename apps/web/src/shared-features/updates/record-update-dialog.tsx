import { useFormikContext, type FormikHelpers } from 'formik';
import { useEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import { useApi } from '@/api/api-provider';
import type { IncidentStatus } from '@/api/types';
import { impactsInput, type ImpactValues } from '@/items/impacts';
import { useNotify } from '@/items/notify-field';
import { Alert } from '@/ui/alert';
import { StatusBadge } from '@/ui/badge';
import { ConflictAlert, DeletedAlert } from '@/ui/conflict-alert';
import { FormDialog } from '@/ui/form-dialog';
import { showFailure } from '@/ui/form-failure';
import { incidentStatuses, type StatusBadgeStyle } from '@/ui/statuses';
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
 * The dialog stays open this long for the screen to show the update. The screen may disable the
 * button that takes the focus afterwards: the focus then goes to what is left. Without a connection
 * the screen is read much later.
 */
const maxRefreshMs = 1000;

type RecordValues = UpdateFormValues & ImpactValues;

const newRecord: RecordValues = { ...newUpdate, impacts: {} };

interface RecordUpdateDialogProps {
  timeline: Timeline;
  /** Title of the incident or maintenance. */
  about: string;
  /** Current status of the incident or maintenance. */
  status: StatusBadgeStyle;
  /**
   * Current status of the incident, which takes that of the update; undefined for a maintenance.
   */
  incidentStatus?: IncidentStatus | undefined;
  /** Whether another user has deleted the incident or maintenance. */
  isDeleted?: boolean;
  /** The update completes a timeline that ended at this time; undefined if the timeline goes on. */
  before?: string | undefined;
  /** Fields of the statuses that the incident sets on its components; none for a maintenance. */
  impacts?: ReactNode;
  /** Whether what the form needs is being loaded. */
  loading?: boolean;
  /** Target of the focus afterwards, if the opener is gone by then, like an item of a menu. */
  returnTo?: RefObject<HTMLElement | null> | undefined;
  onClose: () => void;
  /** Resolves once the screen shows the update. */
  onRecorded: () => Promise<unknown>;
}

/** Mounted while it is open. */
export function RecordUpdateDialog({
  timeline,
  about,
  status,
  incidentStatus,
  isDeleted = false,
  before,
  impacts,
  loading = false,
  returnTo,
  onClose,
  onRecorded,
}: RecordUpdateDialogProps) {
  const api = useApi();
  const notify = useNotify(timeline.notifies);
  const isBackfilled = before !== undefined;
  const current = isBackfilled ? undefined : incidentStatus;
  const [seen, setSeen] = useState(current);
  const isOutdated = ({ status }: UpdateFormValues) => current !== seen && current !== status;

  async function record(values: RecordValues, form: FormikHelpers<RecordValues>) {
    if (current && current !== 'RESOLVED' && isOutdated(values)) {
      toast.error(timeline.texts.saveFailed);
      return;
    }
    // A resolved incident has no impact.
    const components = values.status === 'RESOLVED' ? [] : impactsInput(values.impacts);
    try {
      await api.post(timeline.endpoints.create, {
        ...updateInput(values, newUpdate),
        ...(components.length > 0 && { components }),
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
    onClose();
  }

  return (
    <FormDialog
      open
      onOpenChange={(open) => !open && onClose()}
      {...(returnTo && { returnTo })}
      title={isBackfilled ? 'Record Past Update' : 'Record Update'}
      description={
        <>
          {about}{' '}
          <span className="mt-1 flex items-center gap-2">
            Now: <StatusBadge {...status} />
          </span>
        </>
      }
      initialValues={loading ? undefined : newRecord}
      loading={notify.isLoading}
      validationSchema={before ? pastUpdateSchema(before) : updateSchema}
      onSubmit={record}
      submitLabel="Record Update"
      pendingLabel="Recording..."
    >
      <UpdateFields
        notifyHelp={timeline.notifyHelp.record}
        isBackfilled={isBackfilled}
        notifies={timeline.notifies}
        incidentStatus={current}
      >
        {!isBackfilled && impacts}
      </UpdateFields>
      {isDeleted && <DeletedAlert noun={timeline.noun} />}
      {current && (
        <IncidentStatusConflict
          current={current}
          isOutdated={isOutdated}
          onSettled={() => setSeen(current)}
        />
      )}
    </FormDialog>
  );
}

interface IncidentStatusConflictProps {
  /** Current status of the incident. */
  current: IncidentStatus;
  /** Whether the user has not seen the current status, and chose another one. */
  isOutdated: (values: UpdateFormValues) => boolean;
  onSettled: () => void;
}

/** Shows that another user has moved the incident on since the dialog opened. */
function IncidentStatusConflict({ current, isOutdated, onSettled }: IncidentStatusConflictProps) {
  const { values, submitCount, isSubmitting, setFieldValue } = useFormikContext<UpdateFormValues>();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (submitCount > 0 && !isSubmitting) place.current?.scrollIntoView({ block: 'nearest' });
  }, [submitCount, isSubmitting]);
  // The update that is being recorded changes the status too.
  if (isSubmitting || !isOutdated(values)) return null;
  if (current === 'RESOLVED') {
    return (
      <Alert kind="error" title="This incident has been resolved since you opened it">
        <p>It takes no new updates. Copy what you still need before you leave.</p>
      </Alert>
    );
  }
  return (
    <div ref={place}>
      <ConflictAlert
        noun="incident"
        remoteFields={[{ label: 'Status', value: incidentStatuses[current].label }]}
        onUseRemote={() => {
          void setFieldValue('status', current);
          onSettled();
        }}
        onKeepMine={onSettled}
      />
    </div>
  );
}

const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
