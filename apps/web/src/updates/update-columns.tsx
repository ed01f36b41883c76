import { Pencil, Trash2 } from 'lucide-react';
import { columnsOf, looks } from '@/ui/data-table/columns';
import { StatusBadge } from '@/ui/badge';
import { IconButton } from '@/ui/icon-button';
import { incidentStatuses } from '@/ui/statuses';
import { Timestamp } from '@/ui/timestamp';
import type { Update } from './timeline';

interface UpdateActions {
  onEdit: (update: Update) => void;
  onDelete: (update: Update) => void;
}

const column = columnsOf<Update>();

export function updateColumns({ onEdit, onDelete }: UpdateActions) {
  return column.columns([
    column.accessor('status', {
      header: 'Status',
      meta: looks.status,
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
      meta: looks.person,
      cell: ({ row }) => (
        <span dir="auto" className="block wrap-anywhere stacked:inline">
          {row.original.user.name}
        </span>
      ),
    }),
    column.accessor('createdAt', {
      header: 'Created at',
      meta: looks.time,
      cell: ({ row }) => <Timestamp narrow value={row.original.createdAt} />,
    }),
    column.display({
      id: 'edit',
      header: 'Edit',
      meta: looks.edit,
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
      meta: looks.delete,
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

/** An update has no name; it is known by how it begins. */
export function updateLabel({ message }: Update): string {
  const start = message.slice(0, 40).trim();
  return `update “${start.length < message.length ? `${start}…` : start}”`;
}
