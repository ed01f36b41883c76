import { Pencil } from 'lucide-react';
import { Link } from 'react-router-dom';
import { paths } from '@/paths';
import { StatusBadge } from '@/ui/badge';
import { buttonVariants } from '@/ui/button-variants';
import { columnsOf, looks } from '@/ui/data-table/columns';
import { incidentStatuses } from '@/ui/statuses';
import { Timestamp } from '@/ui/timestamp';
import { DeleteIncident } from './delete-incident';
import type { Incident } from './incident';
import { RecordIncidentUpdate } from './record-incident-update';

const column = columnsOf<Incident>();

export const incidentColumns = column.columns([
  column.accessor('title', {
    header: 'Name',
    cell: ({ row }) => (
      <span dir="auto" className="line-clamp-2 font-medium wrap-anywhere text-ink">
        {row.original.title}
      </span>
    ),
  }),
  column.accessor('status', {
    header: 'Status',
    meta: looks.status,
    cell: ({ row }) => <StatusBadge {...incidentStatuses[row.original.status]} />,
  }),
  column.accessor('occuredAt', {
    header: 'Occurred at',
    meta: looks.time,
    cell: ({ row }) => <Timestamp narrow value={row.original.occuredAt} />,
  }),
  column.accessor('createdAt', {
    header: 'Created at',
    meta: looks.time,
    cell: ({ row }) => <Timestamp narrow value={row.original.createdAt} />,
  }),
  column.display({
    id: 'record-update',
    header: 'Record Updated',
    meta: { width: 'w-44' },
    cell: ({ row }) => <RecordIncidentUpdate incident={row.original} />,
  }),
  column.display({
    id: 'edit',
    header: 'Edit',
    meta: looks.edit,
    cell: ({ row }) => (
      <Link
        to={paths.incidents.edit(row.original.id)}
        aria-label={`Edit ${row.original.title}`}
        className={buttonVariants({ variant: 'ghost', size: 'icon' })}
      >
        <Pencil aria-hidden />
      </Link>
    ),
  }),
  column.display({
    id: 'delete',
    header: 'Delete',
    meta: looks.delete,
    cell: ({ row }) => <DeleteIncident incident={row.original} />,
  }),
]);
