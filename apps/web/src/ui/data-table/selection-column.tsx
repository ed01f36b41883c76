import type { RowData } from '@tanstack/react-table';
import { Check, Minus } from 'lucide-react';
import { type ComponentProps, useEffect, useRef } from 'react';
import { cn } from '@/ui/cn';
import { columnsOf, columnStyles, type DataColumn } from './columns';

export const selectionId = 'select';

export function selectionColumn<Row extends RowData>(
  rowLabel: (row: Row) => string,
): DataColumn<Row> {
  return columnsOf<Row>().display({
    id: selectionId,
    meta: columnStyles.check,
    header: ({ table }) => (
      <Checkbox
        aria-label="Select all rows on this page"
        checked={table.getIsAllPageRowsSelected()}
        indeterminate={table.getIsSomePageRowsSelected() && !table.getIsAllPageRowsSelected()}
        onChange={(event) => table.toggleAllPageRowsSelected(event.target.checked)}
      />
    ),
    cell: ({ row }) => (
      <Checkbox
        aria-label={`Select ${rowLabel(row.original)}`}
        checked={row.getIsSelected()}
        onChange={(event) => row.toggleSelected(event.target.checked)}
      />
    ),
  });
}

interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type' | 'ref'> {
  /** Whether some, but not all, rows are selected. */
  indeterminate?: boolean;
}

function Checkbox({ indeterminate = false, className, ...props }: CheckboxProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current) input.current.indeterminate = indeterminate;
  }, [indeterminate]);

  return (
    <span className={cn('relative grid size-4 shrink-0 place-items-center', className)}>
      <input
        ref={input}
        type="checkbox"
        className="peer size-4 appearance-none rounded-sm border border-line-strong bg-canvas before:absolute before:-inset-2 before:content-[''] checked:border-primary checked:bg-primary indeterminate:border-primary indeterminate:bg-primary disabled:opacity-50 forced-colors:appearance-auto pointer-coarse:before:-inset-3"
        {...props}
      />
      <Check
        aria-hidden
        className="pointer-events-none absolute hidden size-3 text-on-primary peer-checked:block peer-indeterminate:hidden forced-colors:hidden!"
        strokeWidth={3}
      />
      <Minus
        aria-hidden
        className="pointer-events-none absolute hidden size-3 text-on-primary peer-indeterminate:block forced-colors:hidden!"
        strokeWidth={3}
      />
    </span>
  );
}
