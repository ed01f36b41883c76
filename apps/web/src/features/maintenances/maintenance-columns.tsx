import { Pencil } from 'lucide-react';
import { Link } from 'react-router-dom';
import { paths } from '@/paths';
import { StatusBadge } from '@/ui/badge';
import { buttonVariants } from '@/ui/button-variants';
import { columnsOf, looks } from '@/ui/data-table/columns';
import { maintenanceStatuses } from '@/ui/statuses';
import { Timestamp } from '@/ui/timestamp';
import { CompleteMaintenance } from './complete-maintenance';
import { DeleteMaintenance } from './delete-maintenance';
import type { Maintenance } from './maintenance';

const column = columnsOf<Maintenance>();

export const maintenanceColumns = column.columns([
  column.accessor('title', {
    header: 'Title',
    cell: ({ row }) => (
      <span dir="auto" className="line-clamp-2 font-medium wrap-anywhere text-ink">
        {row.original.title}
      </span>
    ),
  }),
  column.accessor('status', {
    header: 'Status',
    meta: looks.status,
    cell: ({ row }) => <StatusBadge {...maintenanceStatuses[row.original.status]} />,
  }),
  column.accessor('startAt', {
    header: 'Start at',
    meta: looks.time,
    cell: ({ row }) => <Timestamp narrow value={row.original.startAt} />,
  }),
  column.accessor('endAt', {
    header: 'End at',
    meta: looks.time,
    cell: ({ row }) => <Timestamp narrow value={row.original.endAt} />,
  }),
  column.display({
    id: 'actions',
    header: 'Actions',
    meta: { width: 'w-74 pointer-coarse:w-80' },
    cell: ({ row }) => (
      <div className="flex items-center gap-1 stacked:flex-wrap">
        <CompleteMaintenance maintenance={row.original} />
        <Link
          to={paths.schedules.edit(row.original.id)}
          aria-label={`Edit ${row.original.title}`}
          className={buttonVariants({ variant: 'ghost', size: 'icon' })}
        >
          <Pencil aria-hidden />
        </Link>
        <DeleteMaintenance maintenance={row.original} />
      </div>
    ),
  }),
]);
