import { Pencil, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { StatusPeriod } from '@/api/types';
import { StatusBadge } from '@/ui/badge';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { columnsOf, columnStyles } from '@/ui/data-table/columns';
import { DataTable } from '@/ui/data-table/data-table';
import { formatInstant } from '@/ui/datetime';
import { IconButton } from '@/ui/icon-button';
import { componentStatuses } from '@/ui/statuses';
import { Timestamp } from '@/ui/timestamp';
import { causeText } from './history';

interface HistoryTableProps {
  /** Undefined while loading. */
  periods: StatusPeriod[] | undefined;
  onEdit: (period: StatusPeriod) => void;
  onDelete: (period: StatusPeriod) => Promise<void>;
}

export function HistoryTable({ periods, onEdit, onDelete }: HistoryTableProps) {
  const [toDelete, setToDelete] = useState<StatusPeriod>();
  const columns = useMemo(() => periodColumns({ onEdit, onDelete: setToDelete }), [onEdit]);
  return (
    <>
      <DataTable
        wide
        label="History"
        columns={columns}
        rows={periods}
        getRowId={(period) => period.id}
        rowLabel={periodLabel}
        emptyHint="The component has been operational all the time."
      />
      <ConfirmDialog
        open={toDelete !== undefined}
        onOpenChange={(open) => !open && setToDelete(undefined)}
        title="Delete this period?"
        description="The component counts as operational for its time, also on the status page."
        confirmLabel="Delete"
        onConfirm={() => toDelete && onDelete(toDelete)}
      />
    </>
  );
}

interface PeriodActions {
  onEdit: (period: StatusPeriod) => void;
  onDelete: (period: StatusPeriod) => void;
}

const column = columnsOf<StatusPeriod>();

function periodColumns({ onEdit, onDelete }: PeriodActions) {
  return column.columns([
    column.accessor('status', {
      header: 'Status',
      meta: columnStyles.componentStatus,
      cell: ({ row }) => <StatusBadge {...componentStatuses[row.original.status]} />,
    }),
    column.accessor('startAt', {
      header: 'Start',
      meta: columnStyles.time,
      cell: ({ row }) => <Timestamp narrow value={row.original.startAt} />,
    }),
    column.accessor('endAt', {
      header: 'End',
      meta: columnStyles.time,
      cell: ({ row }) => <Timestamp narrow value={row.original.endAt} fallback="Lasts" />,
    }),
    column.accessor(causeText, {
      id: 'cause',
      header: 'Cause',
      cell: ({ row }) => (
        <span dir="auto" className="block wrap-anywhere stacked:inline">
          {causeText(row.original)}
        </span>
      ),
    }),
    column.display({
      id: 'edit',
      header: 'Edit',
      meta: columnStyles.edit,
      cell: ({ row }) => (
        <IconButton
          label={`Edit ${periodLabel(row.original)}`}
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
        // The status of the component ends the period that lasts.
        row.original.endAt && (
          <IconButton
            label={`Delete ${periodLabel(row.original)}`}
            icon={<Trash2 aria-hidden />}
            onClick={() => onDelete(row.original)}
          />
        ),
    }),
  ]);
}

function periodLabel({ startAt }: StatusPeriod): string {
  return `period of ${formatInstant(startAt)}`;
}
