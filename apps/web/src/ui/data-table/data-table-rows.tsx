import {
  type Cell,
  type Column,
  FlexRender,
  type Header,
  type Row,
  type RowData,
} from '@tanstack/react-table';
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from '@/ui/cn';
import { Skeleton } from '@/ui/skeleton';
import type { features } from './columns';
import { selectionId } from './selection-column';
import { type ColumnKind, stacked, stackedCells, stackedSkeletonCells } from './stacked';

interface DataTableBodyProps<Data extends RowData> {
  loading: boolean;
  rows: Row<typeof features, Data>[];
  columns: Column<typeof features, Data>[];
  emptyHint: ReactNode;
}

const skeletonRows = [0, 1, 2, 3, 4];
const cellClass = 'h-11 px-3 py-1.5 align-middle first:pr-0 first:pl-4 last:pr-4';
/** The icon is in the middle of its button, whose border is not seen. */
const iconCellClass = 'pl-1 pointer-coarse:pl-0';

export function DataTableBody<Data extends RowData>({
  loading,
  rows,
  columns,
  emptyHint,
}: DataTableBodyProps<Data>) {
  if (loading) return <SkeletonRows columns={columns} />;
  if (rows.length === 0) {
    return (
      <tbody className={stacked.body}>
        <tr className={cn('border-b border-line', stacked.emptyRow)}>
          <td
            colSpan={columns.length}
            className={cn('h-24 px-4 text-center text-muted', stacked.emptyCell)}
          >
            <p>No Data</p>
            {emptyHint && <div className="text-sm wrap-anywhere">{emptyHint}</div>}
          </td>
        </tr>
      </tbody>
    );
  }
  const cellClasses = stackedCells(columns.map(kindOf));
  return (
    <tbody className={stacked.body}>
      {rows.map((row) => (
        <tr
          key={row.id}
          data-selected={row.getIsSelected()}
          className={cn(
            'border-b border-line transition-colors hover:bg-hover data-[selected=true]:bg-selected',
            stacked.row,
            indentOf(columns),
          )}
        >
          {row.getAllCells().map((cell, at) => (
            <td
              key={cell.id}
              data-label={labelOf(cell)}
              className={cn(
                cellClass,
                cell.column.columnDef.meta?.icons && iconCellClass,
                cellClasses[at],
              )}
            >
              <FlexRender cell={cell} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

/** Placeholder rows, as high as the real rows. */
function SkeletonRows<Data extends RowData>({
  columns,
}: Pick<DataTableBodyProps<Data>, 'columns'>) {
  const cellClasses = stackedSkeletonCells(columns.map(kindOf));
  return (
    <tbody className={stacked.body}>
      {skeletonRows.map((row) => (
        <tr
          key={row}
          className={cn(
            'border-b border-line last:border-0',
            stacked.skeletonRow,
            indentOf(columns),
          )}
        >
          {columns.map(({ id, columnDef: { meta } }, at) => (
            <td key={id} className={cn(cellClass, cellClasses[at])}>
              <Skeleton className="my-1 w-4/5" />
              {meta?.lines === 2 && <Skeleton className="my-1 w-4/5" />}
              {row === 0 && at === 1 && <span className="sr-only">Loading...</span>}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

function kindOf<Data extends RowData>(column: Column<typeof features, Data>): ColumnKind {
  if (column.id === selectionId) return 'selection';
  return column.accessorFn ? 'value' : 'action';
}

/** The indent of stacked rows, which leaves room for a checkbox. */
export function indentOf(columns: readonly { id: string }[]): string {
  return stacked.indent[columns[0]?.id === selectionId ? 'selectable' : 'readOnly'];
}

/** Label of a value in a stacked row. Buttons need none. */
function labelOf<Data extends RowData>({
  column,
}: Cell<typeof features, Data>): string | undefined {
  const { header } = column.columnDef;
  return column.accessorFn && typeof header === 'string' ? header : undefined;
}

const marks = { asc: ArrowUp, desc: ArrowDown, none: ChevronsUpDown };
const ariaSort = { asc: 'ascending', desc: 'descending', none: 'none' } as const;

interface HeaderCellProps<Data extends RowData> {
  header: Header<typeof features, Data>;
  /** Whether the actions of the selected rows are over the header. It keeps its size. */
  isCovered: boolean;
}

export function HeaderCell<Data extends RowData>({ header, isCovered }: HeaderCellProps<Data>) {
  const sortable = header.column.getCanSort();
  const sorted = header.column.getIsSorted() || 'none';
  const Mark = marks[sorted];
  const isSelection = header.column.id === selectionId;
  const isHidden = isCovered && !isSelection;
  const { header: title } = header.column.columnDef;
  return (
    <th
      scope="col"
      aria-sort={sortable ? ariaSort[sorted] : undefined}
      aria-label={isHidden && typeof title === 'string' ? title : undefined}
      className={cn(
        'h-9 px-3 text-xs font-medium whitespace-nowrap text-muted first:pr-0 first:pl-4 last:pr-4 pointer-coarse:h-11',
        sortable || isSelection ? stacked.headCell : stacked.hiddenHeadCell,
        isSelection && [stacked.besideRow, stacked.besideFirstLine],
      )}
    >
      <span className={cn('contents', isHidden && 'invisible')}>
        {sortable ? (
          <button
            type="button"
            onClick={header.column.getToggleSortingHandler()}
            // A flex box alone would be as wide as its text, because it is a button.
            className="-mx-1.5 flex h-7 w-[calc(100%+0.75rem)] items-center gap-1 rounded-sm px-1.5 hover:bg-hover hover:text-ink pointer-coarse:h-10"
          >
            <FlexRender header={header} />
            <Mark aria-hidden className="size-3.5" />
          </button>
        ) : (
          <FlexRender header={header} />
        )}
      </span>
    </th>
  );
}
