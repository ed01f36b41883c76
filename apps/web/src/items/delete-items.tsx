import { Trash2 } from 'lucide-react';
import { useApi } from '@/api/api-provider';
import { useRefreshList } from '@/api/use-list';
import { Permitted } from '@/auth/permitted';
import { Button } from '@/ui/button';
import { ConfirmButton } from '@/ui/confirm-button';
import { FailureMessage } from '@/ui/failure-message';
import { IconButton } from '@/ui/icon-button';
import { toast } from '@/ui/toast';
import type { ItemKind } from './item-kind';

interface DeleteItemProps<Item> {
  kind: ItemKind<Item>;
  item: Item;
}

/** The delete button of a row. */
export function DeleteItem<Item extends { id: string }>({ kind, item }: DeleteItemProps<Item>) {
  const { noun, nameOf, deletion } = kind;
  const remove = useDelete(kind, deletion.done, deletion.failed);
  const name = nameOf(item);
  return (
    <Permitted>
      <ConfirmButton
        button={(ask) => (
          <IconButton label={`Delete ${name}`} icon={<Trash2 aria-hidden />} onClick={ask} />
        )}
        title={`Delete this ${noun}?`}
        description={deletion.one(name)}
        confirmLabel="Delete"
        onConfirm={async () => {
          await remove([item]);
        }}
      />
    </Permitted>
  );
}

interface DeleteSelectedProps<Item> {
  kind: ItemKind<Item>;
  items: Item[];
  onDeleted: () => void;
}

/** Deletes the selected rows. Rows that could not be deleted stay selected. */
export function DeleteSelected<Item extends { id: string }>({
  kind,
  items,
  onDeleted,
}: DeleteSelectedProps<Item>) {
  const { noun, plural, deletion } = kind;
  const remove = useDelete(
    kind,
    deletion.selectedDone ?? deletion.done,
    deletion.selectedFailed ?? deletion.failed,
  );
  return (
    <ConfirmButton
      button={(ask) => (
        <Button size="sm" onClick={ask}>
          <Trash2 aria-hidden /> Delete
        </Button>
      )}
      title={`Delete ${items.length === 1 ? `this ${noun}` : `${items.length} ${plural}`}?`}
      description={deletion.selected}
      confirmLabel="Delete"
      onConfirm={async () => {
        if (await remove(items)) onDeleted();
      }}
    />
  );
}

/** Deletes items by one request each, then reads the list again. Returns whether all requests succeeded. */
function useDelete<Item extends { id: string }>(
  { endpoints }: ItemKind<Item>,
  done: string | undefined,
  failed: string,
) {
  const api = useApi();
  const refreshList = useRefreshList(endpoints.list);
  return async (items: readonly Item[]): Promise<boolean> => {
    const results = await Promise.allSettled(items.map(({ id }) => api.delete(endpoints.item(id))));
    const failure = results.find((result) => result.status === 'rejected');
    const succeeded = failure === undefined;
    if (!succeeded) toast.error(<FailureMessage text={failed} error={failure.reason as unknown} />);
    else if (done !== undefined) toast.success(done);
    // Not awaited: without a connection it is retried for seconds.
    void refreshList();
    return succeeded;
  };
}
