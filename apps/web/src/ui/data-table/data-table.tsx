import { type RowData, type RowSelectionState, useTable } from '@tanstack/react-table';
import { type ReactNode, useMemo, useState } from 'react';
import { cn } from '@/ui/cn';
import { useKeptFocus } from '@/ui/use-kept-focus';
import { type DataColumn, features } from './columns';
import { DataTableBody, HeaderCell, indentOf } from './data-table-rows';
import { Pagination } from './pagination';
import { selectionColumn } from './selection-column';
import { stacked } from './stacked';
import { type TableMemory, useTableView } from './use-table-view';

interface DataTableProps<Row extends RowData> {
  /** Accessible name. */
  label: string;
  /**
   * Always the same array: other columns would replace the cells, also the one that has the focus.
   */
  columns: readonly DataColumn<Row>[];
  /** Undefined while loading. */
  rows: readonly Row[] | undefined;
  /**
   * Where the rows come from, like the path of a list with its query. Rows from elsewhere begin on
   * the first page.
   */
  source?: string;
  /** Whether the rows that replace these are being loaded. */
  isStale?: boolean;
  getRowId: (row: Row) => string;
  /**
   * Name of a row, for its checkbox: "Select Website". Always the same function, like `columns`.
   */
  rowLabel: (row: Row) => string;
  /** Stacks the rows on windows narrower than a desktop's. */
  wide?: boolean;
  /** A hint for an empty table. */
  emptyHint?: ReactNode;
  /** Shown over the header while rows are selected. Without them no rows can be selected. */
  bulkActions?: (selected: Row[], clear: () => void) => ReactNode;
  /** Content beside the pagination. */
  footer?: ReactNode;
  /** Leaves out the selection and the columns that change something. */
  readOnly?: boolean;
  /** Without it the table forgets its page, page size and order when it is left. */
  memory?: TableMemory;
}

const noRows: never[] = [];
/** Dims rows, unless those that replace them come soon. */
export const staleClass = 'opacity-60 transition-opacity delay-200';

/** The column in a table that is only read. */
function asRead<Row extends RowData>(column: DataColumn<Row>): DataColumn<Row> {
  const { meta } = column;
  if (meta?.whenRead === undefined) return column;
  const { header, width } = meta.whenRead;
  return { ...column, header, meta: { ...meta, width: width ?? meta.width } } as DataColumn<Row>;
}

export function DataTable<Row extends RowData>({
  label,
  columns,
  rows,
  source = '',
  isStale = false,
  getRowId,
  rowLabel,
  wide = false,
  emptyHint,
  bulkActions,
  footer,
  readOnly = false,
  memory,
}: DataTableProps<Row>) {
  const { pagination, setPagination, sorting, sort } = useTableView(source, memory);
  const [rowSelection, setRowSelection] = useState<RowSelectionState>({});

  const keptFocus = useKeptFocus<HTMLDivElement>();

  const data = rows ?? noRows;
  const pageCount = Math.max(1, Math.ceil(data.length / pagination.pageSize));
  const isSelectable = bulkActions !== undefined;
  const allColumns = useMemo(
    () =>
      readOnly
        ? columns.filter(({ meta }) => meta?.writes !== true).map(asRead)
        : isSelectable
          ? [selectionColumn(rowLabel), ...columns]
          : columns,
    [rowLabel, columns, readOnly, isSelectable],
  );
  const table = useTable({
    features,
    columns: allColumns,
    data,
    getRowId,
    defaultColumn: { sortFn: 'natural' },
    // A new row must not move the user back to the first page.
    autoResetPageIndex: false,
    state: {
      // The last rows of the last page may have been deleted.
      pagination: { ...pagination, pageIndex: Math.min(pagination.pageIndex, pageCount - 1) },
      sorting,
      rowSelection,
    },
    onPaginationChange: setPagination,
    onSortingChange: sort,
    onRowSelectionChange: setRowSelection,
  });

  // The table's state may contain rows that are gone.
  const selected = data.filter((row) => rowSelection[getRowId(row)]);
  const isSelecting = selected.length > 0;

  return (
    <div
      {...keptFocus}
      role="group"
      aria-label={label}
      tabIndex={-1}
      className="min-w-0 rounded-lg border border-line bg-surface shadow-low"
    >
      <div
        className={cn(
          'relative overflow-x-auto rounded-t-lg',
          wide ? '@container/wide' : '@container/narrow',
        )}
      >
        {bulkActions && isSelecting && (
          // Over the header: a bar above it would move the rows away from under the pointer.
          <div className="absolute top-0 right-4 left-11 z-10 flex h-9 items-center gap-3 pointer-coarse:h-11 stacked:left-12">
            <p role="status" className="font-medium whitespace-nowrap tabular-nums">
              {selected.length} selected
            </p>
            {bulkActions(selected, () => setRowSelection({}))}
          </div>
        )}
        <table
          className={cn('w-full table-fixed text-left', stacked.table, isStale && staleClass)}
          aria-busy={isStale || rows === undefined}
        >
          <caption className="sr-only">{label}</caption>
          <colgroup>
            {table.getAllLeafColumns().map(({ id, columnDef: { meta } }) => (
              <col key={id} className={meta?.width} />
            ))}
          </colgroup>
          <thead className={stacked.head}>
            {table.getHeaderGroups().map((group) => (
              <tr
                key={group.id}
                className={cn(
                  'border-b border-line',
                  isSelecting && 'bg-selected',
                  stacked.headRow,
                  indentOf(table.getAllLeafColumns()),
                )}
              >
                {group.headers.map((header) => (
                  <HeaderCell key={header.id} header={header} isCovered={isSelecting} />
                ))}
              </tr>
            ))}
          </thead>
          <DataTableBody
            loading={rows === undefined}
            rows={table.getRowModel().rows}
            columns={table.getAllLeafColumns()}
            emptyHint={emptyHint}
          />
        </table>
      </div>
      {/* The page count needs the rows. */}
      {rows && (
        <Pagination
          page={table.state.pagination.pageIndex}
          pageCount={pageCount}
          pageSize={pagination.pageSize}
          onPage={(page) => table.setPageIndex(page)}
          onPageSize={(size) => table.setPageSize(size)}
        >
          {footer}
        </Pagination>
      )}
    </div>
  );
}
