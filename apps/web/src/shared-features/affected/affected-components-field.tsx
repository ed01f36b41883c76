import { FieldArray, useFormikContext, type FieldArrayRenderProps } from 'formik';
import { Plus } from 'lucide-react';
import { use, useId, useRef } from 'react';
import { flushSync } from 'react-dom';
import type { ComponentStatus } from '@/api/types';
import { Button } from '@/ui/button';
import { FieldError } from '@/ui/field';
import { ReadOnlyContext } from '@/ui/read-only';
import { AddGroupMenu } from './add-group-menu';
import type { Affected, AffectedValues, Choice } from './affected';
import { AffectedComponentRow } from './affected-component-row';
import { useChoiceSections } from './component-groups';
import { StatusForAll } from './status-for-all';

interface AffectedComponentsFieldProps {
  /** The components to choose from; undefined while they load. */
  choices: readonly Choice[] | undefined;
  /** As in "that this incident affects". */
  noun: 'incident' | 'maintenance';
  /** A new row. The rows ask for a status if it has one. */
  newRow: Affected;
  /** The consequence of adding no component. */
  emptyNote?: string;
  className?: string;
}

/** Rows of a component and its status. Each component can be chosen in one row only. */
export function AffectedComponentsField({
  choices,
  noun,
  newRow,
  emptyNote,
  className,
}: AffectedComponentsFieldProps) {
  const { values, errors, submitCount, isSubmitting } = useFormikContext<AffectedValues>();
  const isReadOnly = use(ReadOnlyContext);
  const headingId = useId();
  const errorId = useId();
  const group = useRef<HTMLDivElement>(null);
  const rowList = useRef<HTMLUListElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const rows = values.components;
  const picked = new Set(rows.map((row) => row.componentId));
  const sections = useChoiceSections(choices);
  const unpicked = choices?.filter(({ id }) => !picked.has(id)) ?? [];
  const groups = (sections ?? [])
    .filter(({ group, choices }) => group !== undefined && choices.length > 0)
    .map(({ group, choices }) => ({ group, choices: choices.filter(({ id }) => !picked.has(id)) }));
  const emptyRows = rows.filter(({ componentId }) => componentId === '');
  const canAdd = unpicked.length > emptyRows.length;
  const error = typeof errors.components === 'string' && submitCount > 0 && errors.components;

  function add(list: FieldArrayRenderProps) {
    if (isSubmitting) return;
    // Synchronous, so that the row exists before it takes the focus: the last one disables
    // the button.
    flushSync(() => list.push(newRow));
    rowList.current?.lastElementChild?.querySelector('select')?.focus();
  }

  function addAll(list: FieldArrayRenderProps, left: readonly Choice[]): HTMLElement | null {
    if (isSubmitting) return null;
    const before = rows.filter(({ componentId }) => componentId !== '');
    const added = left.map(({ id }) => ({ ...newRow, componentId: id }));
    flushSync(() => void list.form.setFieldValue('components', [...before, ...added]));
    return rowList.current?.children[before.length]?.querySelector('select') ?? null;
  }

  function setAll(list: FieldArrayRenderProps, status: ComponentStatus) {
    void list.form.setFieldValue(
      'components',
      rows.map((row) => ({ ...row, status })),
    );
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
          aria-describedby={error ? errorId : undefined}
          data-invalid={Boolean(error) && !canAdd}
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
                  onRemove={isReadOnly ? undefined : () => remove(list, index)}
                />
              ))}
            </ul>
          )}
          {rows.length === 0 && (
            <p className="text-sm text-muted">
              {isReadOnly ? 'None' : hint(choices, noun, emptyNote)}
            </p>
          )}
          <FieldError id={errorId} error={error} />
          {!isReadOnly && (
            <div className="flex flex-wrap items-end justify-between gap-x-4 gap-y-3">
              <div className="flex flex-wrap gap-2">
                <Button
                  ref={addButton}
                  disabled={!canAdd}
                  data-invalid={Boolean(error) && canAdd}
                  onClick={() => add(list)}
                >
                  <Plus aria-hidden /> Add Component
                </Button>
                {groups.length > 0 && (
                  <AddGroupMenu groups={groups} onAdd={(left) => addAll(list, left)} />
                )}
              </div>
              {newRow.status !== undefined && rows.length > 1 && (
                <StatusForAll
                  statuses={rows.map(({ status }) => status)}
                  onChoose={(status) => setAll(list, status)}
                />
              )}
            </div>
          )}
        </div>
      )}
    </FieldArray>
  );
}

function hint(choices: readonly Choice[] | undefined, noun: string, emptyNote = ''): string {
  return choices?.length === 0
    ? 'There is no component to add.'
    : `Add the components that this ${noun} affects. ${emptyNote}`.trim();
}
