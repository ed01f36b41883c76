import { useFormikContext, type FormikHelpers } from 'formik';
import { useEffectEvent, useLayoutEffect, useState } from 'react';
import { ApiError } from '@/api/error';
import type { StatusPeriod } from '@/api/types';
import { conflictingFields, merge } from '@/items/rebase';
import { Alert } from '@/ui/alert';
import { ConflictAlert, MergedAlert } from '@/ui/conflict-alert';
import { formatInstant } from '@/ui/datetime';
import { DateTimeField } from '@/ui/datetime-field';
import { FormDialog } from '@/ui/form-dialog';
import { showFailure } from '@/ui/form-failure';
import { componentStatuses, statusOptions } from '@/ui/statuses';
import { ToggleGroup } from '@/ui/toggle-group';
import {
  lastingPeriodSchema,
  newPeriod,
  pastPeriodSchema,
  periodStatuses,
  periodValues,
  type PeriodValues,
} from './history';

const statuses = statusOptions(periodStatuses);

interface PeriodDialogProps {
  /** Undefined to add one. */
  period: StatusPeriod | undefined;
  /** The newest version of the history. */
  newest: StatusPeriod[] | undefined;
  onClose: () => void;
  /** Throws `ApiError`. */
  onSave: (values: PeriodValues) => Promise<void>;
  /** Reads the newest version of the history. */
  onConflict: () => Promise<void>;
  /** Bases the next save on `newest`, which the form contains. */
  onAccept: () => void;
}

/** Adds or changes a period. Mounted while it is open. */
export function PeriodDialog({
  period,
  newest,
  onClose,
  onSave,
  onConflict,
  onAccept,
}: PeriodDialogProps) {
  const [isConflict, setIsConflict] = useState(false);
  const lasts = period?.endAt === null;

  async function save(values: PeriodValues, form: FormikHelpers<PeriodValues>) {
    setIsConflict(false);
    try {
      await onSave(values);
    } catch (error) {
      if (error instanceof ApiError && error.status === 412) {
        await onConflict();
        setIsConflict(true);
      }
      showFailure(form, error, 'The period was not saved');
    }
  }

  return (
    <FormDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={period ? 'Edit Period' : 'Add Period'}
      initialValues={period ? periodValues(period) : newPeriod}
      validationSchema={lasts ? lastingPeriodSchema : pastPeriodSchema}
      onSubmit={save}
      submitLabel={period ? 'Update' : 'Add'}
      pendingLabel={period ? 'Updating...' : 'Adding...'}
    >
      <PeriodFields lasts={lasts} />
      {isConflict &&
        (period ? (
          <PeriodConflict
            remoteVersion={newest?.find(({ id }) => id === period.id)}
            onAccept={onAccept}
            onSettled={() => setIsConflict(false)}
          />
        ) : (
          <Alert kind="error">
            The history has changed since you opened it. Save again to add the period.
          </Alert>
        ))}
    </FormDialog>
  );
}

function PeriodFields({ lasts }: { lasts: boolean }) {
  const { values, errors, touched, setFieldValue } = useFormikContext<PeriodValues>();
  return (
    <>
      <ToggleGroup
        label="Status"
        name="status"
        options={statuses}
        value={values.status as keyof typeof periodStatuses}
        onChange={(status) => void setFieldValue('status', status)}
        error={touched.status && errors.status}
        required
      />
      <DateTimeField name="startAt" label="Start" required />
      <DateTimeField
        name="endAt"
        label="End"
        required={!lasts}
        description={
          lasts && 'The period lasts. If you enter an end, the component becomes operational.'
        }
      />
    </>
  );
}

interface PeriodConflictProps {
  /** Undefined if another user has deleted the period. */
  remoteVersion: StatusPeriod | undefined;
  onAccept: () => void;
  onSettled: () => void;
}

function PeriodConflict({ remoteVersion, ...settling }: PeriodConflictProps) {
  return remoteVersion ? (
    <RemoteVersion remote={periodValues(remoteVersion)} {...settling} />
  ) : (
    <Alert kind="error">This period was deleted since you opened it.</Alert>
  );
}

interface RemoteVersionProps extends Omit<PeriodConflictProps, 'remoteVersion'> {
  remote: PeriodValues;
}

/**
 * Merges another user's version of the period into the form, or shows the fields that both
 * have changed.
 */
function RemoteVersion({ remote, onAccept, onSettled }: RemoteVersionProps) {
  const form = useFormikContext<PeriodValues>();
  const conflicting = conflictingFields(form, remote);
  const isMerged = conflicting.length === 0;

  function accept(replaced: typeof conflicting) {
    merge(form, remote, replaced);
    onAccept();
  }
  const adopt = useEffectEvent(() => accept([]));
  useLayoutEffect(() => {
    if (isMerged) adopt();
  }, [isMerged]);

  if (isMerged) return <MergedAlert noun="history" />;
  const settle = (replaced: typeof conflicting) => () => {
    accept(replaced);
    onSettled();
  };
  const fields = {
    status: { label: 'Status', value: componentStatuses[remote.status].label },
    startAt: { label: 'Start', value: formatInstant(remote.startAt) },
    endAt: { label: 'End', value: remote.endAt ? formatInstant(remote.endAt) : 'Ongoing' },
  };
  return (
    <ConflictAlert
      noun="history"
      remoteFields={conflicting.map((field) => fields[field])}
      onUseRemote={settle(conflicting)}
      onKeepMine={settle([])}
    />
  );
}
