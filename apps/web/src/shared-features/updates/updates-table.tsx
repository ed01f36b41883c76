import { useState } from 'react';
import type { IncidentStatus, Update } from '@/api/types';
import { DialogTable } from '@/items/dialog-table';
import { useNotify } from '@/items/notify-field';
import { StatusBadge } from '@/ui/badge';
import { Checkbox } from '@/ui/checkbox';
import { columnsOf, columnStyles } from '@/ui/data-table/columns';
import { incidentStatuses, rankOf } from '@/ui/statuses';
import { Timestamp } from '@/ui/timestamp';
import { statusAfterDeletion, type IncidentState } from './status-after-deletion';
import { UpdateMessage } from './update-message';

interface UpdatesTableProps {
  /** Undefined while loading. */
  updates: Update[] | undefined;
  /** The incident, which takes the status of its updates; undefined for a maintenance. */
  incident: IncidentState | undefined;
  onEdit: (update: Update) => void;
  /**
   * Deletes all updates or none, and shows a failure. `notify` is undefined if there is nothing to
   * notify of.
   */
  onDelete: (updates: Update[], notify: boolean | undefined) => Promise<void>;
}

export function UpdatesTable({ updates, incident, onEdit, onDelete }: UpdatesTableProps) {
  const notify = useNotify(incident ? undefined : false);
  // A choice belongs to one question: each asks about a list of its own.
  const [choice, setChoice] = useState<{ deleted: Update[]; notify: boolean }>();
  const notifyOf = (deleted: Update[]) => notify.of(choice?.deleted === deleted ? choice : {});
  const statusAfter = (deleted: Update[]) =>
    incident && updates ? statusAfterDeletion(incident, updates, deleted) : null;

  function question(deleted: Update[]) {
    const isOne = deleted.length === 1;
    const title = isOne ? 'Delete this update?' : `Delete ${deleted.length} updates?`;
    const description = isOne
      ? 'It disappears from the timeline and the status page. Messages with its text that are not sent yet are withdrawn, unless it was edited.'
      : 'They disappear from the timeline and the status page. Messages with their texts that are not sent yet are withdrawn, except those of edited updates.';
    const status = statusAfter(deleted);
    if (!incident || !status) return { title, description };
    return {
      title,
      description: `${description} ${changeText(incident.status, status)}`,
      loading: notify.isLoading,
      children: (
        <Checkbox
          label="Notify subscribers"
          description="Sends a message about the changed status to the subscribers on all channels."
          disabled={notify.isLoading}
          checked={notifyOf(deleted)}
          onChange={({ target }) => setChoice({ deleted, notify: target.checked })}
        />
      ),
    };
  }

  return (
    <DialogTable
      label="Updates"
      columns={columns}
      rows={updates}
      nameOf={nameOf}
      emptyHint="Updates show on the status page as a timeline."
      question={question}
      isBulk
      onEdit={onEdit}
      onDelete={(deleted) =>
        onDelete(deleted, statusAfter(deleted) === null ? undefined : notifyOf(deleted))
      }
    />
  );
}

/** Says how the status of an incident changes, also for its components. */
function changeText(from: IncidentStatus, to: IncidentStatus): string {
  const change = `The status of the incident changes from ${incidentStatuses[from].label} to ${incidentStatuses[to].label}`;
  if (from === 'RESOLVED') return `${change}, and it affects its components again.`;
  if (to === 'RESOLVED') return `${change}, and it no longer affects its components.`;
  return `${change}.`;
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
