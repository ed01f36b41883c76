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
        <PageButton page={page - 1} pageCount={pageCount} onPage={onPage}>
          Previous
        </PageButton>
        <PageButton page={page + 1} pageCount={pageCount} onPage={onPage}>
          Next
        </PageButton>
      </div>
    </div>
  );
}

type PageButtonProps = Pick<PaginationProps, 'page' | 'pageCount' | 'onPage' | 'children'>;

/** Shows a page. Without such a page it keeps the focus, which a disabled button would lose. */
function PageButton({ page, pageCount, onPage, children }: PageButtonProps) {
  const exists = page >= 0 && page < pageCount;
  return (
    <Button
      size="sm"
      aria-disabled={!exists}
      className="aria-disabled:pointer-events-none"
      onClick={() => exists && onPage(page)}
    >
      {children}
    </Button>
  );
}
