import { useMemo } from 'react';
import type { ApiClient } from '@/api/client';
import { useApi } from '@/api/api-provider';
import type { TableMemory, TableView } from '@/ui/data-table/use-table-view';

/**
 * The views of the tables, by the client of a person in an organisation. Another one starts
 * without any.
 */
const viewsOf = new WeakMap<ApiClient, Map<string, TableView>>();

/**
 * Returns the memory of a table, which stays while the app is open. `list` is the path of its rows.
 */
export function useTableMemory(list: string): TableMemory {
  const api = useApi();
  return useMemo(() => {
    const views = viewsOf.get(api) ?? new Map<string, TableView>();
    viewsOf.set(api, views);
    return {
      read: () => views.get(list),
      write: (view: TableView) => {
        views.set(list, view);
      },
    };
  }, [api, list]);
}
