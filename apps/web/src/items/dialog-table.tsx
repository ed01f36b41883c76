import { Pencil, Trash2 } from 'lucide-react';
import { useMemo, useState, type ComponentProps } from 'react';
import { useMay } from '@/auth/permissions';
import { Button } from '@/ui/button';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { columnsOf, columnStyles, type DataColumn } from '@/ui/data-table/columns';
import { DataTable } from '@/ui/data-table/data-table';
import { IconButton } from '@/ui/icon-button';

interface DialogTableProps<Row extends { id: string }> {
  label: string;
  /** The columns before Edit and Delete; always the same array. */
  columns: readonly DataColumn<Row>[];
  /** Undefined while loading. */
  rows: Row[] | undefined;
  /** As in "Edit update “We look.”"; always the same function. */
  nameOf: (row: Row) => string;
  emptyHint: string;
  /** What is asked before a deletion. */
  question: (
    rows: Row[],
  ) => Pick<ComponentProps<typeof ConfirmDialog>, 'title' | 'description' | 'children' | 'loading'>;
  /** Whether a row can be deleted; always the same function. By default every row can. */
  isDeletable?: (row: Row) => boolean;
  /** Whether several rows are deleted at once. */
  isBulk?: boolean;
  /**
   * Always the same function: a new one would replace the buttons, also the one that has the focus.
   */
  onEdit: (row: Row) => void;
  /** Deletes all rows or none, and shows a failure. */
  onDelete: (rows: Row[]) => Promise<void>;
}

/** A table of rows that are edited in a dialog over it, and deleted after a question. */
export function DialogTable<Row extends { id: string }>({
  label,
  columns,
  rows,
  nameOf,
  emptyHint,
  question,
  isDeletable = always,
  isBulk = false,
  onEdit,
  onDelete,
}: DialogTableProps<Row>) {
  const mayWrite = useMay('write');
  const [toDelete, setToDelete] = useState<Row[]>([]);
  const withButtons = useMemo<DataColumn<Row>[]>(
    () => [
      ...columns,
      ...buttonColumns({
        nameOf,
        isDeletable,
        onEdit,
        onDelete: (row: Row) => setToDelete([row]),
      }),
    ],
    [columns, nameOf, isDeletable, onEdit],
  );

  return (
    <>
      <DataTable<Row>
        wide
        readOnly={!mayWrite}
        label={label}
        columns={withButtons}
        rows={rows}
        getRowId={(row) => row.id}
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

type Buttons<Row extends { id: string }> = Pick<
  Required<DialogTableProps<Row>>,
  'nameOf' | 'isDeletable' | 'onEdit'
> & { onDelete: (row: Row) => void };

function buttonColumns<Row extends { id: string }>({
  nameOf,
  isDeletable,
  onEdit,
  onDelete,
}: Buttons<Row>) {
  const column = columnsOf<Row>();
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
