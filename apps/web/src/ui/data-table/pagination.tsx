import { useId, type ReactNode } from 'react';
import { Button } from '@/ui/button';
import { Select } from '@/ui/select';

const pageSizes = [5, 10, 20, 30, 40, 50];

interface PaginationProps {
  /** Starts at 0. */
  page: number;
  pageCount: number;
  pageSize: number;
  onPage: (page: number) => void;
  onPageSize: (size: number) => void;
  children?: ReactNode;
}

export function Pagination({
  page,
  pageCount,
  pageSize,
  onPage,
  onPageSize,
  children,
}: PaginationProps) {
  const sizeId = useId();
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 px-4 py-2 text-sm text-muted">
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
        <div className="flex items-center gap-2">
          <label htmlFor={sizeId}>Rows per page</label>
          <Select
            id={sizeId}
            className="w-18!"
            value={pageSize}
            onChange={(event) => onPageSize(Number(event.target.value))}
          >
            {pageSizes.map((size) => (
              <option key={size}>{size}</option>
            ))}
          </Select>
        </div>
        {children}
      </div>
      <div className="flex items-center gap-2">
        <p aria-live="polite" className="mr-2 tabular-nums">
          Page {page + 1} of {pageCount}
        </p>
        <Button size="sm" disabled={page <= 0} onClick={() => onPage(page - 1)}>
          Previous
        </Button>
        <Button size="sm" disabled={page >= pageCount - 1} onClick={() => onPage(page + 1)}>
          Next
        </Button>
      </div>
    </div>
  );
}
