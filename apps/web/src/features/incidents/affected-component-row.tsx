import { getIn, useFormikContext } from 'formik';
import { X } from 'lucide-react';
import { Button } from '@/ui/button';
import { Field } from '@/ui/field';
import { Select } from '@/ui/select';
import { componentStatuses, statusOptions } from '@/ui/statuses';
import type { AffectedValues, Choice } from './incident';

const statuses = statusOptions(componentStatuses);

interface AffectedComponentRowProps {
  index: number;
  /** What this row may pick. */
  choices: readonly Choice[];
  onRemove: () => void;
}

export function AffectedComponentRow({ index, choices, onRemove }: AffectedComponentRowProps) {
  const { values, touched, errors, getFieldProps } = useFormikContext<AffectedValues>();
  const name = `components[${index}]`;
  const wrong = (field: string) => {
    const path = `${name}.${field}`;
    const message: unknown = getIn(touched, path) && getIn(errors, path);
    return typeof message === 'string' && message;
  };
  const picked = choices.find(({ id }) => id === values.components[index]?.componentId);

  return (
    <li className="grid items-start gap-3 rounded-md border border-line bg-canvas p-3 sm:grid-cols-[1fr_13rem_auto]">
      <Field label="Component" required error={wrong('componentId')}>
        {(control) => (
          <Select {...control} {...getFieldProps(`${name}.componentId`)}>
            <option value="" disabled>
              Select a component
            </option>
            {choices.map((choice) => (
              <option key={choice.id} value={choice.id}>
                {choice.name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label="Status" required error={wrong('status')}>
        {(control) => (
          <Select {...control} {...getFieldProps(`${name}.status`)}>
            {statuses.map((status) => (
              <option key={status.value} value={status.value}>
                {status.label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Button
        variant="ghost"
        className="justify-self-end sm:mt-6.5"
        aria-label={`Remove ${picked?.name ?? `component ${index + 1}`}`}
        onClick={onRemove}
      >
        <X aria-hidden /> Remove
      </Button>
    </li>
  );
}
