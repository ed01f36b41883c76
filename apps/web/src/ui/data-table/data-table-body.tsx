import { FlexRender, type Row, type RowData } from '@tanstack/react-table';
import type { ReactNode } from 'react';
import { Skeleton } from '@/ui/skeleton';
import type { features } from './columns';

interface DataTableBodyProps<Data extends RowData> {
  loading: boolean;
  rows: Row<typeof features, Data>[];
  columnCount: number;
  emptyHint: ReactNode;
}

const skeletonRows = [0, 1, 2, 3, 4];

export function DataTableBody<Data extends RowData>({
  loading,
  rows,
  columnCount,
  emptyHint,
}: DataTableBodyProps<Data>) {
  if (loading) {
    return (
      <tbody>
        {skeletonRows.map((row) => (
          <tr key={row} className="border-b border-line">
            <td colSpan={columnCount} className="h-11.25 px-4 pointer-coarse:h-13.25">
              <Skeleton />
              {row === 0 && <span className="sr-only">Loading…</span>}
            </td>
          </tr>
        ))}
      </tbody>
    );
  }
  if (rows.length === 0) {
    return (
      <tbody>
        <tr className="border-b border-line">
          <td colSpan={columnCount} className="h-24 px-4 text-center text-muted">
            <p>No Data</p>
            {emptyHint && <div className="text-sm">{emptyHint}</div>}
          </td>
        </tr>
      </tbody>
    );
  }
  return (
    <tbody>
      {rows.map((row) => (
        <tr
          key={row.id}
          data-selected={row.getIsSelected()}
          className="border-b border-line transition-colors hover:bg-hover data-[selected=true]:bg-selected"
        >
          {row.getAllCells().map((cell) => (
            <td
              key={cell.id}
              className="h-11 px-3 py-1.5 align-middle first:w-8 first:pr-0 first:pl-4 last:pr-4"
            >
              <FlexRender cell={cell} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}
