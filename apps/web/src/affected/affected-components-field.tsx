import { FieldArray, getIn, useFormikContext, type FieldArrayRenderProps } from 'formik';
import { Plus, X } from 'lucide-react';
import { useId, useRef } from 'react';
import { flushSync } from 'react-dom';
import { Button } from '@/ui/button';
import { cn } from '@/ui/cn';
import { Field, FieldError } from '@/ui/field';
import { Select } from '@/ui/select';
import { componentStatuses, statusOptions } from '@/ui/statuses';
import type { Affected, Choice } from './affected';
import { useChoiceSections, type ChoiceSection } from './component-groups';

interface AffectedComponentsFieldProps {
  /** The components to choose from; undefined while they load. */
  choices: readonly Choice[] | undefined;
  /** As in "that this incident affects". */
  noun: 'incident' | 'maintenance';
  /** A new row. The rows ask for a status if it has one. */
  newRow: Affected;
  className?: string;
}

interface Values {
  components: Affected[];
}

/** Rows of a component and its status. Each component can be chosen in one row only. */
export function AffectedComponentsField({
  choices,
  noun,
  newRow,
  className,
}: AffectedComponentsFieldProps) {
  const { values, errors, submitCount, isSubmitting } = useFormikContext<Values>();
  const headingId = useId();
  const group = useRef<HTMLDivElement>(null);
  const rowList = useRef<HTMLUListElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const rows = values.components;
  const picked = new Set(rows.map((row) => row.componentId));
  const sections = useChoiceSections(choices);
  const unpicked = choices?.filter(({ id }) => !picked.has(id)) ?? [];
  const emptyRows = rows.filter(({ componentId }) => componentId === '');
  const error = typeof errors.components === 'string' && submitCount > 0 && errors.components;

  function add(list: FieldArrayRenderProps) {
    if (isSubmitting) return;
    // Synchronous, so that the row exists before it takes the focus: the last one disables the button.
    flushSync(() => list.push(newRow));
    rowList.current?.lastElementChild?.querySelector('select')?.focus();
  }

  function remove(list: FieldArrayRenderProps, index: number) {
    if (isSubmitting) return;
    flushSync(() => {
      list.remove(index);
    });
    const next = rowList.current?.children[index]?.querySelector('button') ?? addButton.current;
    (next?.disabled ? group.current : next)?.focus();
  }

  return (
    <FieldArray name="components">
      {(list) => (
        <div
          ref={group}
          role="group"
          aria-labelledby={headingId}
          tabIndex={-1}
          className="grid min-w-0 gap-2"
        >
          <h2 id={headingId} className="text-sm font-medium text-ink">
            Affected Components
          </h2>
          {rows.length > 0 && (
            <ul ref={rowList} className={className ?? 'grid gap-2'}>
              {rows.map((row, index) => (
                <AffectedComponentRow
                  // Rows have no ids, and no state besides their values.
                  key={index}
                  index={index}
                  sections={sections?.map((section) => ({
                    ...section,
                    choices: section.choices.filter(
                      ({ id }) => id === row.componentId || !picked.has(id),
                    ),
                  }))}
                  onRemove={() => remove(list, index)}
                />
              ))}
            </ul>
          )}
          {rows.length === 0 && <p className="text-sm text-muted">{hint(choices, noun)}</p>}
          <FieldError id={`${headingId}-error`} error={error} />
          <Button
            ref={addButton}
            className="w-fit"
            disabled={unpicked.length <= emptyRows.length}
            onClick={() => add(list)}
          >
            <Plus aria-hidden /> Add Component
          </Button>
        </div>
      )}
    </FieldArray>
  );
}

function hint(choices: readonly Choice[] | undefined, noun: string): string {
  return choices?.length === 0
    ? 'There is no component to add.'
    : `Add the components that this ${noun} affects.`;
}

const statuses = statusOptions(componentStatuses);

interface AffectedComponentRowProps {
  index: number;
  /** The components that this row offers; undefined while they load. */
  sections: readonly ChoiceSection[] | undefined;
  onRemove: () => void;
}

function AffectedComponentRow({ index, sections, onRemove }: AffectedComponentRowProps) {
  const { values, touched, errors, getFieldProps } = useFormikContext<Values>();
  const name = `components[${index}]`;
  const ofRow: unknown = getIn(errors, name);
  const wrong = (field: string) => {
    const path = `${name}.${field}`;
    const message: unknown = getIn(touched, path) && getIn(errors, path);
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
                {sections ? 'No longer available' : 'Loading…'}
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
      <Button
        variant="ghost"
        className="justify-self-end sm:mt-6.5"
        aria-label={`Remove ${picked?.name ?? `component ${index + 1}`}`}
        onClick={onRemove}
      >
        <X aria-hidden /> Remove
      </Button>
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
