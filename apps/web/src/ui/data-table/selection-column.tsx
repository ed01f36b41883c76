import type { RowData } from '@tanstack/react-table';
import { type ComponentProps, useEffect, useRef } from 'react';
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

interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type' | 'ref' | 'className'> {
  /** Whether some, but not all, rows are selected. */
  indeterminate?: boolean;
}

function Checkbox({ indeterminate = false, ...props }: CheckboxProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current) input.current.indeterminate = indeterminate;
  }, [indeterminate]);

  return (
    <input
      ref={input}
      type="checkbox"
      className="choice block before:absolute before:-inset-2 before:content-[''] pointer-coarse:before:-inset-3"
      {...props}
    />
  );
}
