import { useFormikContext, type FormikHelpers } from 'formik';
import { useState } from 'react';
import { ApiError } from '@/api/error';
import type { StatusPeriod } from '@/api/types';
import { Alert } from '@/ui/alert';
import { ConflictAlert } from '@/ui/conflict-alert';
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
  /** Bases the next save on `newest`, which the user has seen. */
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
      {isConflict && (
        <PeriodConflict
          remoteVersion={period && newest?.find(({ id }) => id === period.id)}
          isGone={period !== undefined && !newest?.some(({ id }) => id === period.id)}
          onSettled={() => {
            onAccept();
            setIsConflict(false);
          }}
        />
      )}
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
  remoteVersion: StatusPeriod | undefined;
  isGone: boolean;
  onSettled: () => void;
}

/** Shows what another user has made of the period, or that the history has changed elsewhere. */
function PeriodConflict({ remoteVersion, isGone, onSettled }: PeriodConflictProps) {
  const form = useFormikContext<PeriodValues>();
  if (isGone) return <Alert kind="error">This period was deleted since you opened it.</Alert>;
  if (remoteVersion === undefined) {
    return (
      <Alert kind="error">
        The history has changed since you opened it. Save again to add the period.
      </Alert>
    );
  }
  const values = periodValues(remoteVersion);
  const fields = [
    { name: 'status', label: 'Status', value: componentStatuses[values.status].label },
    { name: 'startAt', label: 'Start', value: formatInstant(values.startAt) },
    { name: 'endAt', label: 'End', value: values.endAt ? formatInstant(values.endAt) : 'Ongoing' },
  ] as const;
  return (
    <ConflictAlert
      noun="history"
      remoteFields={fields.filter(({ name }) => values[name] !== form.values[name])}
      onUseRemote={() => {
        form.resetForm({ values });
        onSettled();
      }}
      onKeepMine={onSettled}
    />
  );
}
