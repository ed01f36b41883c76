import type { StatusPeriod } from '@/api/types';
import { DialogTable } from '@/items/dialog-table';
import { StatusBadge } from '@/ui/badge';
import { columnsOf, columnStyles } from '@/ui/data-table/columns';
import { formatInstant } from '@/ui/datetime';
import { componentStatuses, rankOf } from '@/ui/statuses';
import { Timestamp } from '@/ui/timestamp';
import { causeText, type SeenPeriod } from './history';

interface HistoryTableProps {
  /** Undefined while loading. */
  periods: SeenPeriod[] | undefined;
  /**
   * Always the same function: a new one would replace the buttons, also the one that has the focus.
   */
  onEdit: (period: SeenPeriod) => void;
  onDelete: (period: SeenPeriod) => Promise<void>;
}

export function HistoryTable({ periods, onEdit, onDelete }: HistoryTableProps) {
  return (
    <DialogTable
      label="History"
      columns={columns}
      rows={periods}
      nameOf={nameOf}
      emptyHint="The component has been operational all the time."
      question={() => ({
        title: 'Delete this period?',
        description: 'The component counts as operational for its time, also on the status page.',
      })}
      isDeletable={isOver}
      onEdit={onEdit}
      onDelete={async ([period]) => period && onDelete(period)}
    />
  );
}

const column = columnsOf<SeenPeriod>();

const columns = column.columns([
  column.accessor(({ status }) => rankOf(componentStatuses, status), {
    id: 'status',
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
    cell: ({ row }) => <Timestamp narrow value={row.original.endAt} fallback="Ongoing" />,
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
]);

function nameOf({ startAt }: StatusPeriod): string {
  return `period of ${formatInstant(startAt)}`;
}

/** The status of the component ends the period that lasts. */
function isOver({ endAt }: StatusPeriod): boolean {
  return endAt !== null;
}
