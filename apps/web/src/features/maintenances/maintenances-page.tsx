import { Plus } from 'lucide-react';
import { Permitted } from '@/auth/permitted';
import { EditLink, NameCell, NewItemLink } from '@/items/cells';
import { DeleteItem } from '@/items/delete-items';
import { ListPage } from '@/items/list-page';
import { paths } from '@/paths';
import { StatusBadge } from '@/ui/badge';
import { columnsOf, columnStyles } from '@/ui/data-table/columns';
import { maintenanceStatuses, rankOf } from '@/ui/statuses';
import { Timestamp } from '@/ui/timestamp';
import { CompleteMaintenance, CompletionQuestion } from './complete-maintenance';
import { maintenanceKind, type Maintenance } from './maintenance';

const column = columnsOf<Maintenance>();

const columns = column.columns([
  column.accessor('title', {
    header: 'Title',
    cell: ({ row }) => <NameCell>{row.original.title}</NameCell>,
  }),
  column.accessor(({ status }) => rankOf(maintenanceStatuses, status), {
    id: 'status',
    header: 'Status',
    sortDescFirst: false,
    meta: columnStyles.status,
    cell: ({ row }) => <StatusBadge {...maintenanceStatuses[row.original.status]} />,
  }),
  column.accessor('startAt', {
    header: 'Start at',
    meta: columnStyles.time,
    cell: ({ row }) => <Timestamp narrow value={row.original.startAt} />,
  }),
  column.accessor('endAt', {
    header: 'End at',
    meta: columnStyles.time,
    cell: ({ row }) => <Timestamp narrow value={row.original.endAt} />,
  }),
  column.display({
    id: 'actions',
    header: 'Actions',
    meta: {
      width: 'w-74 pointer-coarse:w-80',
      whenRead: { header: 'View', width: columnStyles.edit.width },
    },
    cell: ({ row }) => (
      <div className="flex items-center gap-1 stacked:flex-wrap">
        <Permitted>
          <CompleteMaintenance maintenance={row.original} />
        </Permitted>
        <EditLink name={row.original.title} to={paths.schedules.edit(row.original.id)} />
        <DeleteItem kind={maintenanceKind} item={row.original} />
      </div>
    ),
  }),
]);

export function MaintenancesPage() {
  return (
    <CompletionQuestion>
      <ListPage
        kind={maintenanceKind}
        title="Maintenance"
        action={
          <NewItemLink to={paths.schedules.create}>
            <Plus aria-hidden /> New Maintenance
          </NewItemLink>
        }
        columns={columns}
        wide
        emptyHint="Schedule maintenance to tell your visitors before it begins."
      />
    </CompletionQuestion>
  );
}
