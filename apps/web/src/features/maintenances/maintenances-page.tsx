import { CircleCheck, Plus } from 'lucide-react';
import { useApi } from '@/api/api-provider';
import { serverNow } from '@/api/server-clock';
import { useRefreshList } from '@/api/use-list';
import { Permitted } from '@/auth/permitted';
import { EditLink, NameCell, NewItemLink } from '@/items/cells';
import { DeleteItem } from '@/items/delete-items';
import { ListPage } from '@/items/list-page';
import { endpoints, paths } from '@/paths';
import { StatusBadge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { columnsOf, columnStyles } from '@/ui/data-table/columns';
import { FailureMessage } from '@/ui/failure-message';
import { maintenanceStatuses, rankOf } from '@/ui/statuses';
import { Timestamp } from '@/ui/timestamp';
import { toast } from '@/ui/toast';
import { useNow } from '@/ui/use-now';
import { usePending } from '@/ui/use-pending';
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
  );
}

const completeFailed = 'Failed to complete maintenance';

/** Ends a maintenance now, once it has begun: the server refuses an end before the start. */
function CompleteMaintenance({ maintenance }: { maintenance: Maintenance }) {
  const api = useApi();
  const refreshList = useRefreshList(endpoints.maintenances.list);
  const [pending, run] = usePending();
  const now = useNow(15_000);
  const { status, startAt } = maintenance;
  const isAhead = status === 'SCHEDULED' && Date.parse(startAt) > now;

  async function complete() {
    try {
      const { data } = await api.patch<Maintenance>(endpoints.maintenances.item(maintenance.id), {
        endAt: serverNow().toISOString(),
      });
      if (data.status === 'COMPLETED') toast.success('Maintenance completed successfully');
      else toast.error(completeFailed);
    } catch (error) {
      toast.error(<FailureMessage text={completeFailed} error={error} />);
    }
    // The button stays pending until the row shows the new status.
    await refreshList();
  }

  return (
    <Button
      size="sm"
      aria-label={`Complete Maintenance: ${maintenance.title}`}
      disabled={isAhead || status === 'COMPLETED' || status === 'CANCELLED'}
      title={isAhead ? 'Possible once the maintenance has begun.' : undefined}
      pending={pending}
      onClick={() => run(complete)}
    >
      {!pending && <CircleCheck aria-hidden />} Complete Maintenance
    </Button>
  );
}
