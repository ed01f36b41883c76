import { useMemo, type ReactNode } from 'react';
import { listPath, useList } from '@/api/use-list';
import { useMay } from '@/auth/permissions';
import { Permitted } from '@/auth/permitted';
import type { DataColumn } from '@/ui/data-table/columns';
import { DataTable } from '@/ui/data-table/data-table';
import { FilterResult, unsearched } from '@/ui/filter-result';
import { LoadFailure, RefreshFailure } from '@/ui/load-failure';
import { PageHeader } from '@/ui/page-header';
import { ShowOlder } from '@/ui/show-older';
import { useErrorToast } from '@/ui/use-error-toast';
import { usePageTitle } from '@/ui/use-page-title';
import { DeleteQuestion, DeleteSelected } from './delete-items';
import type { ItemKind } from './item-kind';
import type { ListFilter } from './list-filter';
import { useTableMemory } from './use-table-memory';

interface ListPageProps<Item extends { id: string }> {
  kind: ItemKind<Item>;
  title: string;
  /** The button of a new item, and further ones, for users who may write. */
  action: ReactNode;
  /** What stands before them, and viewers see too. */
  readerAction?: ReactNode;
  /**
   * Always the same array: other columns would replace the cells, also the one that has the focus.
   */
  columns: readonly DataColumn<Item>[];
  /** Stacks the rows on windows narrower than a desktop's. */
  wide?: boolean;
  emptyHint: string;
  /** Stands above the filter and the table. */
  notice?: ReactNode;
  filter?: ListFilter<Item>;
  /** Actions on selected rows, before the one that deletes them. */
  bulkActions?: (selected: Item[]) => ReactNode;
  /** Replaces the table until the first response. */
  placeholder?: ReactNode;
  /** Follows the list once it is loaded or has failed. */
  children?: ReactNode;
}

/** The screen of all items of a kind, from which they are created, edited and deleted. */
export function ListPage<Item extends { id: string }>({
  kind,
  title,
  action,
  readerAction,
  columns,
  wide = false,
  emptyHint,
  notice,
  filter,
  bulkActions,
  placeholder,
  children,
}: ListPageProps<Item>) {
  usePageTitle(title);
  const isFiltered = filter !== undefined && filter.query.size > 0;
  const source = listPath(kind.endpoints.list, filter?.query);
  const matches = filter?.matches;
  const list = useList<Item>(matches ? kind.endpoints.list : source);
  const rows = useMemo(
    () => (matches ? list.rows?.filter(matches) : list.rows),
    [list.rows, matches],
  );
  useErrorToast(list.error !== undefined, kind.listFailed);
  const memory = useTableMemory(kind.endpoints.list);
  const mayWrite = useMay('write');
  const isLoading = list.rows === undefined && list.error === undefined;
  const hasUnsearched = matches !== undefined && list.hasOlder;
  const noMatch = `No ${kind.noun} matches the filter.`;
  const hint = !isFiltered
    ? mayWrite && emptyHint
    : hasUnsearched
      ? `${noMatch} ${unsearched}`
      : noMatch;

  return (
    <div className="grid min-w-0 gap-4">
      <PageHeader
        title={title}
        actions={
          <>
            {readerAction}
            <Permitted>{action}</Permitted>
          </>
        }
      />
      {notice}
      {list.error && list.rows && <RefreshFailure onRetry={list.refresh} />}
      {filter?.controls}
      {filter && (
        <FilterResult
          list={{ ...list, rows }}
          isFiltered={isFiltered}
          hasUnsearched={hasUnsearched}
          noun={kind.noun}
          plural={kind.plural}
        />
      )}
      {list.error && list.rows === undefined ? (
        <LoadFailure
          title={`${title} could not be loaded`}
          reason={list.error.message}
          onRetry={list.refresh}
        />
      ) : isLoading && placeholder ? (
        placeholder
      ) : (
        <DeleteQuestion kind={kind}>
          <DataTable
            wide={wide}
            memory={memory}
            readOnly={!mayWrite}
            label={title}
            columns={columns}
            rows={rows}
            source={source}
            isStale={list.isStale}
            getRowId={(item) => item.id}
            rowLabel={kind.nameOf}
            emptyHint={hint}
            bulkActions={(selected, clear) => (
              <>
                {bulkActions?.(selected)}
                <DeleteSelected kind={kind} items={selected} onDeleted={clear} />
              </>
            )}
            footer={<ShowOlder size="sm" list={list} />}
          />
        </DeleteQuestion>
      )}
      {!isLoading && children}
    </div>
  );
}
