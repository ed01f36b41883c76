import { FlexRender, type Header, type RowData } from '@tanstack/react-table';
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import { cn } from '@/ui/cn';
import type { features } from './columns';
import { selectionId } from './selection-column';
import { stacked } from './stacked';

const marks = { asc: ArrowUp, desc: ArrowDown, none: ChevronsUpDown };
const ariaSort = { asc: 'ascending', desc: 'descending', none: 'none' } as const;

export function HeaderCell<Data extends RowData>({
  header,
}: {
  header: Header<typeof features, Data>;
}) {
  const sortable = header.column.getCanSort();
  const sorted = header.column.getIsSorted() || 'none';
  const Mark = marks[sorted];
  const isSelection = header.column.id === selectionId;
  return (
    <th
      scope="col"
      aria-sort={sortable ? ariaSort[sorted] : undefined}
      className={cn(
        'h-9 px-3 text-xs font-medium whitespace-nowrap text-muted first:pr-0 first:pl-4 last:pr-4',
        sortable || isSelection ? stacked.headCell : stacked.hiddenHeadCell,
      )}
    >
      {sortable ? (
        <button
          type="button"
          onClick={header.column.getToggleSortingHandler()}
          className="-mx-1.5 inline-flex h-7 items-center gap-1 rounded-sm px-1.5 hover:bg-hover hover:text-ink"
        >
          <FlexRender header={header} />
          <Mark aria-hidden className="size-3.5" />
        </button>
      ) : (
        <FlexRender header={header} />
      )}
    </th>
  );
}
