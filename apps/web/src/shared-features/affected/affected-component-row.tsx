import { getIn, useFormikContext } from 'formik';
import { X } from 'lucide-react';
import { useId } from 'react';
import { Button } from '@/ui/button';
import { cn } from '@/ui/cn';
import { Field } from '@/ui/field';
import { Select } from '@/ui/select';
import { componentStatuses, statusOptions } from '@/ui/statuses';
import type { AffectedValues, Choice } from './affected';
import type { ChoiceSection } from './component-groups';

const statuses = statusOptions(componentStatuses);

interface AffectedComponentRowProps {
  index: number;
  /** The components that this row offers; undefined while they load. */
  sections: readonly ChoiceSection[] | undefined;
  /** Undefined if the rows are only read. */
  onRemove: (() => void) | undefined;
}

/** Inside a form: a component and its status. */
export function AffectedComponentRow({ index, sections, onRemove }: AffectedComponentRowProps) {
  const { values, touched, errors, submitCount, getFieldProps } =
    useFormikContext<AffectedValues>();
  const name = `components[${index}]`;
  const ofRow: unknown = getIn(errors, name);
  const wrong = (field: string) => {
    const path = `${name}.${field}`;
    // A new row takes the focus from one that is not filled in yet, which is no mistake.
    const isDue = submitCount > 0 && Boolean(getIn(touched, path));
    const message: unknown = isDue && getIn(errors, path);
    return typeof message === 'string' && message;
  };
  const row = values.components[index];
  const isPicked = ({ id }: Choice) => id === row?.componentId;
  const picked = sections?.flatMap(({ choices }) => choices).find(isPicked);
  const hintId = useId();
  const isOperational = row?.status === 'OPERATIONAL';

  return (
    <li
      className={cn(
        'grid items-start gap-3 rounded-md border border-line bg-canvas p-3',
        row?.status === undefined ? 'sm:grid-cols-[1fr_auto]' : 'sm:grid-cols-[1fr_13rem_auto]',
      )}
    >
      <Field
        label="Component"
        required
        error={typeof ofRow === 'string' ? ofRow : wrong('componentId')}
      >
        {(control) => (
          <Select {...control} {...getFieldProps(`${name}.componentId`)}>
            <option value="" disabled>
              Select a component
            </option>
            {row?.componentId && !picked && (
              <option value={row.componentId} disabled>
                {sections ? 'No longer available' : 'Loading...'}
              </option>
            )}
            {sections?.map(({ group, choices }, place) =>
              group === undefined ? (
                <Options key={place} choices={choices} />
              ) : (
                choices.length > 0 && (
                  <optgroup key={place} label={group}>
                    <Options choices={choices} />
                  </optgroup>
                )
              ),
            )}
          </Select>
        )}
      </Field>
      {row?.status !== undefined && (
        <Field label="Status" required error={wrong('status')}>
          {(control) => (
            <Select
              {...control}
              {...getFieldProps(`${name}.status`)}
              {...(isOperational && {
                'aria-describedby': [control['aria-describedby'], hintId].filter(Boolean).join(' '),
              })}
            >
              {statuses.map((status) => (
                <option key={status.value} value={status.value}>
                  {status.label}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      {onRemove && (
        <Button
          variant="ghost"
          className="justify-self-end sm:mt-6.5"
          aria-description={picked?.name}
          onClick={onRemove}
        >
          <X aria-hidden /> Remove
        </Button>
      )}
      {isOperational && (
        <p id={hintId} className="text-sm text-muted sm:col-span-full">
          The component counts as operational in this incident.
        </p>
      )}
    </li>
  );
}

function Options({ choices }: { choices: readonly Choice[] }) {
  return choices.map((choice) => (
    <option key={choice.id} value={choice.id}>
      {choice.name}
    </option>
  ));
}
