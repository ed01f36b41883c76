import { Pencil, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useMay } from '@/auth/permissions';
import { Button } from '@/ui/button';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { columnsOf, columnStyles, type DataColumn } from '@/ui/data-table/columns';
import { DataTable } from '@/ui/data-table/data-table';
import { IconButton } from '@/ui/icon-button';

interface EntryTableProps<Entry extends { id: string }> {
  label: string;
  /** The columns before Edit and Delete; always the same array. */
  columns: readonly DataColumn<Entry>[];
  /** Undefined while loading. */
  entries: Entry[] | undefined;
  /** As in "Edit update “We look.”"; always the same function. */
  nameOf: (entry: Entry) => string;
  emptyHint: string;
  /** What is asked before a deletion. */
  question: (entries: Entry[]) => { title: string; description: string };
  /** Whether an entry can be deleted; always the same function. By default every entry can. */
  isDeletable?: (entry: Entry) => boolean;
  /** Whether several entries are deleted at once. */
  isBulk?: boolean;
  onEdit: (entry: Entry) => void;
  /** Deletes all entries or none, and shows a failure. */
  onDelete: (entries: Entry[]) => Promise<void>;
}

/** A table of entries that are edited in a dialog over it, and deleted after a question. */
export function EntryTable<Entry extends { id: string }>({
  label,
  columns,
  entries,
  nameOf,
  emptyHint,
  question,
  isDeletable = always,
  isBulk = false,
  onEdit,
  onDelete,
}: EntryTableProps<Entry>) {
  const mayWrite = useMay('write');
  const [toDelete, setToDelete] = useState<Entry[]>([]);
  const withButtons = useMemo<DataColumn<Entry>[]>(
    () => [
      ...columns,
      ...buttonColumns({
        nameOf,
        isDeletable,
        onEdit,
        onDelete: (entry: Entry) => setToDelete([entry]),
      }),
    ],
    [columns, nameOf, isDeletable, onEdit],
  );

  return (
    <>
      <DataTable<Entry>
        wide
        readOnly={!mayWrite}
        label={label}
        columns={withButtons}
        rows={entries}
        getRowId={(entry) => entry.id}
        rowLabel={nameOf}
        emptyHint={emptyHint}
        {...(isBulk && {
          bulkActions: (selected) => (
            <Button size="sm" onClick={() => setToDelete(selected)}>
              <Trash2 aria-hidden /> Delete
            </Button>
          ),
        })}
      />
      <ConfirmDialog
        open={toDelete.length > 0}
        onOpenChange={(open) => !open && setToDelete([])}
        {...question(toDelete)}
        confirmLabel="Delete"
        onConfirm={() => onDelete(toDelete)}
      />
    </>
  );
}

const always = () => true;

type Buttons<Entry extends { id: string }> = Pick<
  Required<EntryTableProps<Entry>>,
  'nameOf' | 'isDeletable' | 'onEdit'
> & { onDelete: (entry: Entry) => void };

function buttonColumns<Entry extends { id: string }>({
  nameOf,
  isDeletable,
  onEdit,
  onDelete,
}: Buttons<Entry>) {
  const column = columnsOf<Entry>();
  return column.columns([
    column.display({
      id: 'edit',
      header: 'Edit',
      meta: columnStyles.editDialog,
      cell: ({ row }) => (
        <IconButton
          label={`Edit ${nameOf(row.original)}`}
          icon={<Pencil aria-hidden />}
          onClick={() => onEdit(row.original)}
        />
      ),
    }),
    column.display({
      id: 'delete',
      header: 'Delete',
      meta: columnStyles.delete,
      cell: ({ row }) =>
        isDeletable(row.original) && (
          <IconButton
            label={`Delete ${nameOf(row.original)}`}
            icon={<Trash2 aria-hidden />}
            onClick={() => onDelete(row.original)}
          />
        ),
    }),
  ]);
}
