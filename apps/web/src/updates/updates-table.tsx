import { Pencil, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { StatusBadge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { columnsOf, columnStyles } from '@/ui/data-table/columns';
import { DataTable } from '@/ui/data-table/data-table';
import { IconButton } from '@/ui/icon-button';
import { incidentStatuses } from '@/ui/statuses';
import { Timestamp } from '@/ui/timestamp';
import type { Update } from './timeline';

interface UpdatesTableProps {
  /** Undefined while loading. */
  updates: Update[] | undefined;
  onEdit: (update: Update) => void;
  /** Deletes all updates or none, and shows a failure. */
  onDelete: (updates: Update[]) => Promise<void>;
}

export function UpdatesTable({ updates, onEdit, onDelete }: UpdatesTableProps) {
  const [toDelete, setToDelete] = useState<Update[]>([]);
  const columns = useMemo(
    () => updateColumns({ onEdit, onDelete: (update) => setToDelete([update]) }),
    [onEdit],
  );
  const one = toDelete.length === 1;

  return (
    <>
      <DataTable
        wide
        label="Updates"
        columns={columns}
        rows={updates}
        getRowId={(update) => update.id}
        rowLabel={updateLabel}
        emptyHint="Updates show on the status page as a timeline."
        bulkActions={(selected) => (
          <Button size="sm" onClick={() => setToDelete(selected)}>
            <Trash2 aria-hidden /> Delete
          </Button>
        )}
      />
      <ConfirmDialog
        open={toDelete.length > 0}
        onOpenChange={(open) => !open && setToDelete([])}
        title={one ? 'Delete this update?' : `Delete ${toDelete.length} updates?`}
        description={`${one ? 'It disappears' : 'They disappear'} from the timeline and the status page.`}
        confirmLabel="Delete"
        onConfirm={() => onDelete(toDelete)}
      />
    </>
  );
}

interface UpdateActions {
  onEdit: (update: Update) => void;
  onDelete: (update: Update) => void;
}

const column = columnsOf<Update>();

function updateColumns({ onEdit, onDelete }: UpdateActions) {
  return column.columns([
    column.accessor('status', {
      header: 'Status',
      meta: columnStyles.status,
      cell: ({ row }) => <StatusBadge {...incidentStatuses[row.original.status]} />,
    }),
    column.accessor('message', {
      header: 'Message',
      cell: ({ row }) => (
        <p dir="auto" className="line-clamp-3 max-w-prose wrap-anywhere whitespace-pre-line">
          {row.original.message}
        </p>
      ),
    }),
    column.accessor((update) => update.user.name, {
      id: 'user',
      header: 'Recorded by',
      meta: columnStyles.person,
      cell: ({ row }) => (
        <span dir="auto" className="block wrap-anywhere stacked:inline">
          {row.original.user.name}
        </span>
      ),
    }),
    column.accessor('createdAt', {
      header: 'Created at',
      meta: columnStyles.time,
      cell: ({ row }) => <Timestamp narrow value={row.original.createdAt} />,
    }),
    column.display({
      id: 'edit',
      header: 'Edit',
      meta: columnStyles.edit,
      cell: ({ row }) => (
        <IconButton
          label={`Edit ${updateLabel(row.original)}`}
          icon={<Pencil aria-hidden />}
          onClick={() => onEdit(row.original)}
        />
      ),
    }),
    column.display({
      id: 'delete',
      header: 'Delete',
      meta: columnStyles.delete,
      cell: ({ row }) => (
        <IconButton
          label={`Delete ${updateLabel(row.original)}`}
          icon={<Trash2 aria-hidden />}
          onClick={() => onDelete(row.original)}
        />
      ),
    }),
  ]);
}

/** Names an update by the first words of its message. */
function updateLabel({ message }: Update): string {
  const start = message.slice(0, 40).trim();
  return `update “${start.length < message.length ? `${start}…` : start}”`;
}
