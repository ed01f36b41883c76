import { useFormikContext } from 'formik';
import { Field } from '@/ui/field';
import { Select } from '@/ui/select';
import { componentStatuses, statusOptions } from '@/ui/statuses';
import type { AffectedValues } from './affected';

const statuses = statusOptions(componentStatuses);

/** Sets one status in all rows. */
export function StatusForAll() {
  const { values, setFieldValue } = useFormikContext<AffectedValues>();
  const [first, ...others] = new Set(values.components.map(({ status }) => status));
  const isMixed = others.length > 0;
  return (
    <Field label="Status for all" className="w-full sm:w-52">
      {(control) => (
        <Select
          {...control}
          value={isMixed ? '' : first}
          onChange={({ target }) =>
            void setFieldValue(
              'components',
              values.components.map((row) => ({ ...row, status: target.value })),
            )
          }
        >
          {isMixed && (
            <option value="" disabled>
              Several statuses
            </option>
          )}
          {statuses.map((status) => (
            <option key={status.value} value={status.value}>
              {status.label}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
