import { FlexRender, type Cell, type Column, type Row, type RowData } from '@tanstack/react-table';
import type { ReactNode } from 'react';
import { cn } from '@/ui/cn';
import { Skeleton } from '@/ui/skeleton';
import type { features } from './columns';
import { stacked } from './stacked';

interface DataTableBodyProps<Data extends RowData> {
  loading: boolean;
  rows: Row<typeof features, Data>[];
  columns: Column<typeof features, Data>[];
  emptyHint: ReactNode;
}

const waitingRows = [0, 1, 2, 3, 4];
const cellLook = 'h-11 px-3 py-1.5 align-middle first:pr-0 first:pl-4 last:pr-4';

export function DataTableBody<Data extends RowData>({
  loading,
  rows,
  columns,
  emptyHint,
}: DataTableBodyProps<Data>) {
  if (loading) return <WaitingRows columns={columns} />;
  if (rows.length === 0) {
    return (
      <tbody className={stacked.body}>
        <tr className={cn('border-b border-line', stacked.emptyRow)}>
          <td
            colSpan={columns.length}
            className={cn('h-24 px-4 text-center text-muted', stacked.emptyCell)}
          >
            <p>No Data</p>
            {emptyHint && <div className="text-sm">{emptyHint}</div>}
          </td>
        </tr>
      </tbody>
    );
  }
  return (
    <tbody className={stacked.body}>
      {rows.map((row) => (
        <tr
          key={row.id}
          data-selected={row.getIsSelected()}
          className={cn(
            'border-b border-line transition-colors hover:bg-hover data-[selected=true]:bg-selected',
            stacked.row,
          )}
        >
          {row.getAllCells().map((cell) => (
            <td key={cell.id} data-label={labelOf(cell)} className={cn(cellLook, stacked.cell)}>
              <FlexRender cell={cell} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

/** Rows as high as those that come. */
function WaitingRows<Data extends RowData>({ columns }: Pick<DataTableBodyProps<Data>, 'columns'>) {
  return (
    <tbody className={stacked.body}>
      {waitingRows.map((row) => (
        <tr key={row} className={cn('border-b border-line last:border-0', stacked.waitingRow)}>
          {columns.map(({ id, columnDef: { meta } }, at) => (
            <td key={id} className={cn(cellLook, stacked.waitingCell)}>
              <Skeleton className="my-1 w-4/5" />
              {meta?.lines === 2 && <Skeleton className="my-1 w-4/5" />}
              {row === 0 && at === 1 && <span className="sr-only">Loading…</span>}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

/** What a value is, where no header stands above it. A button says by itself what it does. */
function labelOf<Data extends RowData>({
  column,
}: Cell<typeof features, Data>): string | undefined {
  const { header } = column.columnDef;
  return column.getCanSort() && typeof header === 'string' ? header : undefined;
}
