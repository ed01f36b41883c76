import { DialogTable } from '@/items/dialog-table';
import { StatusBadge } from '@/ui/badge';
import { columnsOf, columnStyles } from '@/ui/data-table/columns';
import { incidentStatuses, rankOf } from '@/ui/statuses';
import { Timestamp } from '@/ui/timestamp';
import type { Update } from './timeline';
import { UpdateMessage } from './update-message';

interface UpdatesTableProps {
  /** Undefined while loading. */
  updates: Update[] | undefined;
  onEdit: (update: Update) => void;
  /** Deletes all updates or none, and shows a failure. */
  onDelete: (updates: Update[]) => Promise<void>;
}

export function UpdatesTable({ updates, onEdit, onDelete }: UpdatesTableProps) {
  return (
    <DialogTable
      label="Updates"
      columns={columns}
      rows={updates}
      nameOf={nameOf}
      emptyHint="Updates show on the status page as a timeline."
      question={({ length }) => ({
        title: length === 1 ? 'Delete this update?' : `Delete ${length} updates?`,
        description: `${length === 1 ? 'It disappears' : 'They disappear'} from the timeline and the status page.`,
      })}
      isBulk
      onEdit={onEdit}
      onDelete={onDelete}
    />
  );
}

const column = columnsOf<Update>();

const columns = column.columns([
  column.accessor(({ status }) => rankOf(incidentStatuses, status), {
    id: 'status',
    header: 'Status',
    sortDescFirst: false,
    meta: columnStyles.status,
    cell: ({ row }) => <StatusBadge {...incidentStatuses[row.original.status]} />,
  }),
  column.accessor('message', {
    header: 'Message',
    cell: ({ row }) => <UpdateMessage name={nameOf(row.original)} message={row.original.message} />,
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
    cell: ({ row: { original } }) => (
      <>
        <Timestamp narrow value={original.createdAt} />
        {original.displayAt !== original.createdAt && (
          <span className="block text-muted">
            Displayed at <Timestamp narrow value={original.displayAt} />
          </span>
        )}
      </>
    ),
  }),
]);

/** Names an update by the first words of its message. */
function nameOf({ message }: Update): string {
  const start = message.slice(0, 40).trim();
  return `update “${start.length < message.length ? `${start}…` : start}”`;
}
