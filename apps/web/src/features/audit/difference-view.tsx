import { useState, type ReactNode } from 'react';
import type { AuditItem } from '@/api/types';
import { useComponentNames } from '@/shared-features/affected/component-groups';
import { Button } from '@/ui/button';
import { cn } from '@/ui/cn';
import { fieldChanges, type FieldChange } from './difference';
import { fieldName, valueText, type Names } from './value-text';

interface DifferenceViewProps {
  item: AuditItem;
  /** A link to the changed thing. */
  children: ReactNode;
}

/** What a change did: the changed fields, and the others on demand. */
export function DifferenceView({
  item: { before, after, requestId },
  children,
}: DifferenceViewProps) {
  const [isWhole, setWhole] = useState(false);
  const fields = fieldChanges(before, after);
  const changed = fields.filter(({ isChanged }) => isChanged);
  const others = fields.length - changed.length;
  return (
    <div className="grid gap-3">
      {fields.length === 0 ? (
        <p className="text-sm text-muted">Nothing more is known about this change.</p>
      ) : (
        <FieldTable
          fields={isWhole ? fields : changed}
          hasBefore={before !== null}
          hasAfter={after !== null}
        />
      )}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-xs text-muted">
        {children}
        {others > 0 && (
          <Button size="sm" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Hide' : 'Show'} unchanged fields
          </Button>
        )}
        {requestId !== null && (
          <p className="wrap-anywhere">
            Request <code>{requestId}</code>
          </p>
        )}
      </div>
    </div>
  );
}

interface FieldTableProps {
  fields: FieldChange[];
  hasBefore: boolean;
  hasAfter: boolean;
}

const noNames: Names = new Map();
const cell = 'px-3 py-2 align-top text-left max-sm:block';

function FieldTable({ fields, hasBefore, hasAfter }: FieldTableProps) {
  const { names = noNames } = useComponentNames();
  return (
    <table className="w-full table-fixed rounded-md border border-line bg-canvas text-sm max-sm:block">
      <caption className="sr-only">Changed fields</caption>
      <thead className="max-sm:sr-only">
        <tr className="border-b border-line text-xs text-muted">
          <th scope="col" className={cn(cell, 'w-44 font-medium')}>
            Field
          </th>
          {hasBefore && (
            <th scope="col" className={cn(cell, 'font-medium')}>
              Before
            </th>
          )}
          {hasAfter && (
            <th scope="col" className={cn(cell, 'font-medium')}>
              After
            </th>
          )}
        </tr>
      </thead>
      <tbody className="divide-y divide-line max-sm:block">
        {fields.map(({ field, before, after, isChanged }) => (
          <tr key={field} className="max-sm:block">
            <th scope="row" className={cn(cell, 'font-medium text-ink')}>
              {fieldName(field)}
            </th>
            {hasBefore && (
              <Value
                label="Before"
                text={valueText(field, before, names)}
                isOld={isChanged && hasAfter}
              />
            )}
            {hasAfter && <Value label="After" text={valueText(field, after, names)} />}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface ValueProps {
  label: string;
  /** Undefined if there is no value. */
  text: string | undefined;
  /** Whether another value has replaced it. */
  isOld?: boolean;
}

function Value({ label, text, isOld = false }: ValueProps) {
  return (
    <td className={cn(cell, 'max-sm:pt-0')}>
      <span aria-hidden className="mr-2 text-xs text-muted sm:hidden">
        {label}
      </span>
      {text === undefined ? (
        <span className="text-muted">None</span>
      ) : (
        <span dir="auto" className={cn('wrap-anywhere whitespace-pre-wrap', isOld && 'text-muted')}>
          {text}
        </span>
      )}
    </td>
  );
}
