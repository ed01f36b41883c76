import type { ComponentStatus } from '@/api/types';
import { Field } from '@/ui/field';
import { Select } from '@/ui/select';
import { componentStatuses, statusOptions } from '@/ui/statuses';

const options = statusOptions(componentStatuses);

interface StatusForAllProps {
  /** The statuses of the rows. */
  statuses: readonly (ComponentStatus | undefined)[];
  onChoose: (status: ComponentStatus) => void;
}

/** Sets one status in all rows. */
export function StatusForAll({ statuses, onChoose }: StatusForAllProps) {
  const [first, ...others] = new Set(statuses);
  const isMixed = others.length > 0;
  return (
    <Field label="Status for all" className="w-full sm:w-52">
      {(control) => (
        <Select
          {...control}
          value={isMixed ? '' : first}
          onChange={({ target }) => onChoose(target.value as ComponentStatus)}
        >
          {isMixed && (
            <option value="" disabled>
              Several statuses
            </option>
          )}
          {options.map((status) => (
            <option key={status.value} value={status.value}>
              {status.label}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
