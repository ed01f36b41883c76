import { useMemo, type ReactNode } from 'react';
import { useList } from '@/api/use-list';
import { useMay } from '@/auth/permissions';
import { Permitted } from '@/auth/permitted';
import { Button } from '@/ui/button';
import type { DataColumn } from '@/ui/data-table/columns';
import { DataTable } from '@/ui/data-table/data-table';
import { LoadFailure } from '@/ui/load-failure';
import { PageHeader } from '@/ui/page-header';
import { useErrorToast } from '@/ui/use-error-toast';
import { usePageTitle } from '@/ui/use-page-title';
import { DeleteSelected } from './delete-items';
import type { ItemKind } from './item-kind';

/** Shows a part of the items. */
export interface ListFilter<Item> {
  /** The fields of the filter. */
  controls: ReactNode;
  /** Whether it hides anything. */
  isActive: boolean;
  /** Always the same function for the same choice. */
  isShown: (item: Item) => boolean;
}

interface ListPageProps<Item extends { id: string }> {
  kind: ItemKind<Item>;
  title: string;
  /** The button of a new item, and further ones, for users who may write. */
  action: ReactNode;
  /** A button before them that viewers see too. */
  readerAction?: ReactNode;
  columns: readonly DataColumn<Item>[];
  /** Stacks the rows on windows narrower than a desktop's. */
  wide?: boolean;
  emptyHint: string;
  filter?: ListFilter<Item>;
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
  const list = useList<Item>(kind.endpoints.list);
  useErrorToast(list.error !== undefined, kind.listFailed);
  const rows = useMemo(
    () => (filter ? list.rows?.filter(filter.isShown) : list.rows),
    // The filter's fields are a new element at each render.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [list.rows, filter?.isShown],
  );
  const mayWrite = useMay('write');
  const isSearchedInPart = filter?.isActive === true && list.hasOlder;
  const searchedInPart = () =>
    `The filter has searched the newest ${list.rows?.length.toLocaleString('en')}.`;
  const isLoading = list.rows === undefined && list.error === undefined;

  function hintIfEmpty() {
    if (isSearchedInPart) {
      return `${searchedInPart()} None of them matches. “Show older” searches more.`;
    }
    if (filter?.isActive) return `No ${kind.noun} matches the filter.`;
    return mayWrite && emptyHint;
  }

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
      {list.error && list.rows === undefined ? (
        <LoadFailure
          title={`${title} could not be loaded`}
          reason={list.error.message}
          onRetry={() => void list.refresh()}
        />
      ) : isLoading && placeholder ? (
        placeholder
      ) : (
        <DataTable
          wide={wide}
          readOnly={!mayWrite}
          label={title}
          columns={columns}
          rows={rows}
          getRowId={(item) => item.id}
          rowLabel={kind.nameOf}
          emptyHint={hintIfEmpty()}
          bulkActions={(selected, clear) => (
            <DeleteSelected kind={kind} items={selected} onDeleted={clear} />
          )}
          footer={
            list.hasOlder && (
              <>
                <Button size="sm" pending={list.isLoadingOlder} onClick={list.showOlder}>
                  Show older
                </Button>
                {isSearchedInPart && rows !== undefined && rows.length > 0 && (
                  <span className="text-sm text-subtle">{searchedInPart()}</span>
                )}
              </>
            )
          }
        />
      )}
      {!isLoading && children}
    </div>
  );
}
