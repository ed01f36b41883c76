import type { ReactNode } from 'react';
import { listPath, useList } from '@/api/use-list';
import { useMay } from '@/auth/permissions';
import { Permitted } from '@/auth/permitted';
import type { DataColumn } from '@/ui/data-table/columns';
import { DataTable } from '@/ui/data-table/data-table';
import { FilterResult } from '@/ui/filter-result';
import { LoadFailure } from '@/ui/load-failure';
import { PageHeader } from '@/ui/page-header';
import { ShowOlder } from '@/ui/show-older';
import { useErrorToast } from '@/ui/use-error-toast';
import { usePageTitle } from '@/ui/use-page-title';
import { DeleteQuestion, DeleteSelected } from './delete-items';
import type { ItemKind } from './item-kind';
import { useTableMemory } from './use-table-memory';

/** Lists a part of the items. */
export interface ListFilter {
  /** The fields of the filter. */
  controls: ReactNode;
  /** The query of the list; empty for all items. */
  query: URLSearchParams;
}

interface ListPageProps<Item extends { id: string }> {
  kind: ItemKind<Item>;
  title: string;
  /** The button of a new item, and further ones, for users who may write. */
  action: ReactNode;
  /** A button before them that viewers see too. */
  readerAction?: ReactNode;
  /**
   * Always the same array: other columns would replace the cells, also the one that has the focus.
   */
  columns: readonly DataColumn<Item>[];
  /** Stacks the rows on windows narrower than a desktop's. */
  wide?: boolean;
  emptyHint: string;
  filter?: ListFilter;
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
  filter,
  placeholder,
  children,
}: ListPageProps<Item>) {
  usePageTitle(title);
  const isFiltered = filter !== undefined && filter.query.size > 0;
  const path = listPath(kind.endpoints.list, filter?.query);
  const list = useList<Item>(path);
  useErrorToast(list.error !== undefined, kind.listFailed);
  const memory = useTableMemory(kind.endpoints.list);
  const mayWrite = useMay('write');
  const isLoading = list.rows === undefined && list.error === undefined;
  const hint = isFiltered ? `No ${kind.noun} matches the filter.` : mayWrite && emptyHint;

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
      {filter?.controls}
      {filter && (
        <FilterResult list={list} isFiltered={isFiltered} noun={kind.noun} plural={kind.plural} />
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
            rows={list.rows}
            source={path}
            isStale={list.isStale}
            getRowId={(item) => item.id}
            rowLabel={kind.nameOf}
            emptyHint={hint}
            bulkActions={(selected, clear) => (
              <DeleteSelected kind={kind} items={selected} onDeleted={clear} />
            )}
            footer={<ShowOlder size="sm" list={list} />}
          />
        </DeleteQuestion>
      )}
      {!isLoading && children}
    </div>
  );
}
