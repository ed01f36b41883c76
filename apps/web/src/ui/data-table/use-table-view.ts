import type { SortingState, Updater } from '@tanstack/react-table';
import { useEffect, useState } from 'react';

/** What the user has chosen to see of a table. */
export interface TableView {
  /** The `source` of its rows. */
  source: string;
  pagination: { pageIndex: number; pageSize: number };
  sorting: SortingState;
}

/** Keeps the view of a table that is left; always the same object. */
export interface TableMemory {
  read: () => TableView | undefined;
  write: (view: TableView) => void;
}

const firstView = { pagination: { pageIndex: 0, pageSize: 5 }, sorting: [] };

/** The view that a table starts with. */
function startView(source: string, memory: TableMemory | undefined): TableView {
  const { pagination, ...last } = { source, ...firstView, ...memory?.read() };
  const pageIndex = last.source === source ? pagination.pageIndex : 0;
  return { ...last, source, pagination: { ...pagination, pageIndex } };
}

/** The page and the order of a table. Rows from another source and sorting show the first page. */
export function useTableView(source: string, memory: TableMemory | undefined) {
  const [first] = useState(() => startView(source, memory));
  const [pagination, setPagination] = useState(first.pagination);
  const [sorting, setSorting] = useState(first.sorting);
  const [shownSource, setShownSource] = useState(source);
  if (source !== shownSource) {
    setShownSource(source);
    setPagination({ ...pagination, pageIndex: 0 });
  }
  useEffect(
    () => memory?.write({ source, pagination, sorting }),
    [memory, source, pagination, sorting],
  );

  function sort(next: Updater<SortingState>) {
    setSorting(next);
    setPagination((current) => ({ ...current, pageIndex: 0 }));
  }

  return { pagination, setPagination, sorting, sort };
}
