import { useFormikContext } from 'formik';
import type { ReactNode } from 'react';
import type { IncidentStatus } from '@/api/types';
import { NotifyField } from '@/items/notify-field';
import { DateTimeField } from '@/ui/datetime-field';
import { Field } from '@/ui/field';
import { incidentStatuses, rankOf, statusOptions } from '@/ui/statuses';
import { Textarea } from '@/ui/textarea';
import { ToggleGroup } from '@/ui/toggle-group';
import type { UpdateValues } from './timeline';

const options = statusOptions(incidentStatuses);

interface UpdateFieldsProps {
  /** When a mail is sent; undefined if none is. */
  notifyHelp: string | undefined;
  /** The last choice of a maintenance whether it notifies; undefined if there is none. */
  notifies?: boolean | undefined;
  /** Whether the update must have a display time of its own. */
  isBackfilled?: boolean;
  /**
   * Current status of the incident, which takes that of the update; undefined if it keeps its own.
   */
  incidentStatus?: IncidentStatus | undefined;
  /** Further fields. */
  children?: ReactNode;
}

export function UpdateFields({
  notifyHelp,
  isBackfilled = false,
  notifies,
  incidentStatus,
  children,
}: UpdateFieldsProps) {
  const { values, touched, errors, getFieldProps, setFieldValue } =
    useFormikContext<UpdateValues>();
  return (
    <>
      <ToggleGroup
        label="Status"
        name="status"
        options={options}
        value={values.status}
        onChange={(status) => void setFieldValue('status', status)}
        error={touched.status && errors.status}
        note={incidentStatus && setback(values, incidentStatus)}
        required
      />
      <Field label="Message" required error={touched.message && errors.message}>
        {(control) => <Textarea {...control} {...getFieldProps('message')} />}
      </Field>
      {isBackfilled ? (
        <DateTimeField
          name="displayAt"
          label="Displayed at"
          description="Before the incident was resolved."
          required
        />
      ) : (
        <DateTimeField
          name="displayAt"
          label="Displayed at (optional)"
          description="Empty means when it is recorded."
        />
      )}
      {children}
      {notifyHelp !== undefined && (
        <NotifyField help={notifyHelp} isBackfilled={isBackfilled} stored={notifies} />
      )}
    </>
  );
}

/**
 * Says that an update moves the incident back; null if it does not, or if a resolved incident
 * takes none.
 */
function setback({ status, displayAt }: UpdateValues, current: IncidentStatus): string | null {
  if (current === 'RESOLVED') return null;
  if (rankOf(incidentStatuses, status) >= rankOf(incidentStatuses, current)) return null;
  const move = `from ${incidentStatuses[current].label} to ${incidentStatuses[status].label}`;
  // Only the update that is displayed last sets the status.
  return `This moves the incident back ${move}${displayAt ? ', unless another update is displayed later' : ''}.`;
}
