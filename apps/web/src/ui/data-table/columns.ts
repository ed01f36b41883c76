import {
  createColumnHelper,
  createPaginatedRowModel,
  createSortedRowModel,
  metaHelper,
  rowPaginationFeature,
  rowSelectionFeature,
  rowSortingFeature,
  tableFeatures,
  type ColumnDef,
  type RowData,
} from '@tanstack/react-table';

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** Natural order of texts ("api 2" before "api 10"), times in RFC 3339, and numbers. */
function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return collator.compare(sortText(a), sortText(b));
}

function sortText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}

interface ColumnStyle {
  /** Class of the fixed width. A column without it takes the remaining width. */
  width?: string;
  /** Number of lines of its values. */
  lines?: 2;
  /** Whether its buttons are icons. They stand below the beginning of the header. */
  icons?: true;
  /** Whether its buttons change something; a table that is only read leaves it out. */
  writes?: true;
  /** Its header and width in a table that is only read. */
  whenRead?: { header: string; width?: string };
}

/**
 * The widths of what many tables show. They apply while the rows are loaded, too, so that no header
 * moves afterwards.
 */
export const columnStyles = {
  check: { width: 'w-8' },
  componentStatus: { width: 'w-50' },
  /** A component's status as the button that changes it. */
  statusButton: { width: 'w-55' },
  status: { width: 'w-36' },
  person: { width: 'w-36' },
  channel: { width: 'w-24', lines: 2 },
  scope: { width: 'w-31', lines: 2 },
  verified: { width: 'w-32' },
  time: { width: 'w-32', lines: 2 },
  /** A link to a form, which can also be read only. */
  edit: { width: 'w-14 pointer-coarse:w-16', icons: true, whenRead: { header: 'View' } },
  /** A button that opens a dialog to edit. */
  editDialog: { width: 'w-14 pointer-coarse:w-16', icons: true, writes: true },
  /** A button that opens a menu. */
  menu: { width: 'w-18', icons: true, writes: true },
  delete: { width: 'w-17', icons: true, writes: true },
} as const satisfies Record<string, ColumnStyle>;

export const features = tableFeatures({
  columnMeta: metaHelper<ColumnStyle>(),
  rowSortingFeature,
  rowSelectionFeature,
  rowPaginationFeature,
  sortedRowModel: createSortedRowModel(),
  paginatedRowModel: createPaginatedRowModel(),
  sortFns: {
    natural: (a, b, columnId) => compare(a.getValue(columnId), b.getValue(columnId)),
  },
});

export type DataColumn<Row extends RowData> = ColumnDef<typeof features, Row>;

/**
 * Describes a table's columns. Outside a component, so that they stay the same from render to
 * render:
 * `const column = columnsOf<Component>(); const columns = column.columns([column.accessor('name', …), …])`
 */
export function columnsOf<Row extends RowData>() {
  return createColumnHelper<typeof features, Row>();
}
