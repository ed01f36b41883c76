import type { RowData } from '@tanstack/react-table';
import { Checkbox } from '@/ui/checkbox';
import { columnsOf, looks, type DataColumn } from './columns';

export const selectionId = 'select';

export function selectionColumn<Row extends RowData>(
  rowLabel: (row: Row) => string,
): DataColumn<Row> {
  return columnsOf<Row>().display({
    id: selectionId,
    meta: looks.check,
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
