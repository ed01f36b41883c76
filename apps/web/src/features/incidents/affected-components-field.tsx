import { FieldArray, useFormikContext } from 'formik';
import { Plus } from 'lucide-react';
import { useId } from 'react';
import { Button } from '@/ui/button';
import { FieldError } from '@/ui/field';
import { AffectedComponentRow } from './affected-component-row';
import type { Affected, AffectedValues, Choice } from './incident';

interface AffectedComponentsFieldProps {
  /** The components there are to pick from; undefined while they load. */
  choices: readonly Choice[] | undefined;
  className?: string;
}

const newRow: Affected = { componentId: '', status: 'OPERATIONAL' };

/** Rows of a component and the status it gets. A component that one row has picked, no other offers. */
export function AffectedComponentsField({ choices, className }: AffectedComponentsFieldProps) {
  const { values, errors, submitCount } = useFormikContext<AffectedValues>();
  const headingId = useId();
  const rows = values.components;
  const picked = new Set(rows.map((row) => row.componentId));
  const error = typeof errors.components === 'string' && submitCount > 0 && errors.components;

  return (
    <FieldArray name="components">
      {(list) => (
        <div role="group" aria-labelledby={headingId} className="grid min-w-0 gap-2">
          <h2 id={headingId} className="text-sm font-medium text-ink">
            Affected Components
          </h2>
          {rows.length > 0 && (
            <ul className={className ?? 'grid gap-2'}>
              {rows.map((row, index) => (
                <AffectedComponentRow
                  // Rows have no identity of their own; each shows nothing but its values.
                  key={index}
                  index={index}
                  choices={(choices ?? []).filter(
                    ({ id }) => id === row.componentId || !picked.has(id),
                  )}
                  onRemove={() => list.remove(index)}
                />
              ))}
            </ul>
          )}
          {rows.length === 0 && <p className="text-sm text-muted">{hint(choices)}</p>}
          <FieldError id={`${headingId}-error`} error={error} />
          <Button
            className="w-fit"
            disabled={choices === undefined || rows.length >= choices.length}
            onClick={() => list.push(newRow)}
          >
            <Plus aria-hidden /> Add Component
          </Button>
        </div>
      )}
    </FieldArray>
  );
}

function hint(choices: readonly Choice[] | undefined): string {
  return choices?.length === 0
    ? 'There is no component left to add.'
    : 'Add the components that this incident affects.';
}
