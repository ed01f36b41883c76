import { Trash2 } from 'lucide-react';
import { createContext, use, useState, type ReactNode } from 'react';
import { useApi } from '@/api/api-provider';
import { ignoreNotFound } from '@/api/error';
import { useListCache } from '@/api/list-cache';
import { Permitted } from '@/auth/permitted';
import { Button } from '@/ui/button';
import { ConfirmButton } from '@/ui/confirm-button';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { dismissFailureToast, showFailureToast } from '@/ui/failure-toast';
import { IconButton } from '@/ui/icon-button';
import { toast } from '@/ui/toast';
import type { ItemKind } from './item-kind';

interface NamedItem {
  id: string;
  name: string;
}

/** Opens the question before an item is deleted. */
const AskContext = createContext<((item: NamedItem) => void) | null>(null);

interface DeleteQuestionProps<Item> {
  kind: ItemKind<Item>;
  /** The table, whose rows have a `DeleteItem`. */
  children: ReactNode;
}

/**
 * Asks before a `DeleteItem` deletes its row: outside of the table, because the row may move or
 * go meanwhile.
 */
export function DeleteQuestion<Item>({ kind, children }: DeleteQuestionProps<Item>) {
  const { noun, deletion } = kind;
  const [asked, setAsked] = useState<NamedItem>();
  const remove = useDelete(kind, deletion.done, deletion.failed);
  return (
    <AskContext value={setAsked}>
      {children}
      <ConfirmDialog
        open={asked !== undefined}
        onOpenChange={(open) => !open && setAsked(undefined)}
        title={`Delete this ${noun}?`}
        description={asked && deletion.one(asked.name)}
        confirmLabel="Delete"
        onConfirm={async () => {
          if (asked) await remove([asked]);
        }}
      />
    </AskContext>
  );
}

interface DeleteItemProps<Item> {
  kind: ItemKind<Item>;
  item: Item;
}

/** The delete button of a row, inside a `DeleteQuestion`. */
export function DeleteItem<Item extends { id: string }>({ kind, item }: DeleteItemProps<Item>) {
  const ask = use(AskContext);
  if (ask === null) throw new Error('DeleteItem needs a DeleteQuestion above it');
  const name = kind.nameOf(item);
  return (
    <Permitted>
      <IconButton
        label={`Delete ${name}`}
        icon={<Trash2 aria-hidden />}
        onClick={() => ask({ id: item.id, name })}
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

/**
 * Deletes items by one request each, then reads the list again. Returns whether all
 * requests succeeded.
 */
function useDelete<Item>({ endpoints }: ItemKind<Item>, done: string | undefined, failed: string) {
  const api = useApi();
  const listCache = useListCache();
  return async (items: readonly { id: string }[]): Promise<boolean> => {
    dismissFailureToast();
    const results = await Promise.allSettled(
      items.map(({ id }) => api.delete(endpoints.item(id)).catch(ignoreNotFound)),
    );
    const failure = results.find((result) => result.status === 'rejected');
    const succeeded = failure === undefined;
    if (!succeeded) showFailureToast(failed, failure.reason);
    else if (done !== undefined) toast.success(done);
    // Not awaited: without a connection it is retried for seconds.
    void listCache.refresh(endpoints.list);
    return succeeded;
  };
}
