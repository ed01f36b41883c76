import { Plus } from 'lucide-react';
import { useMemo, type ComponentProps } from 'react';
import { useNavigate } from 'react-router-dom';
import { useList } from '@/api/use-list';
import { Permitted } from '@/auth/permitted';
import { EditLink, NameCell } from '@/items/cells';
import { DeleteItem } from '@/items/delete-items';
import { ListPage } from '@/items/list-page';
import { statusChoices, useSearchFilter } from '@/items/use-search-filter';
import { endpoints, paths } from '@/paths';
import {
  CompleteMaintenance,
  CompletionQuestion,
} from '@/shared-features/completion/complete-maintenance';
import { useRecordMaintenanceUpdate } from '@/shared-features/updates/use-record-maintenance-update';
import { StatusBadge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { columnsOf, columnStyles } from '@/ui/data-table/columns';
import { maintenanceStatuses, rankOf } from '@/ui/statuses';
import { Timestamp } from '@/ui/timestamp';
import { maintenanceKind, type Maintenance } from './maintenance';
import { MaintenanceActions } from './maintenance-actions';

const column = columnsOf<Maintenance>();

const columnsWith = (onRecord: ComponentProps<typeof MaintenanceActions>['onRecord']) =>
  column.columns([
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
        width: 'w-83 pointer-coarse:w-91',
        whenRead: { header: 'View', width: columnStyles.edit.width },
      },
      cell: ({ row }) => (
        <div className="flex items-center gap-1 stacked:flex-wrap">
          <Permitted>
            <CompleteMaintenance maintenance={row.original} />
          </Permitted>
          {/* Without room beside the button, the icons go below it together. */}
          <div className="flex items-center gap-1">
            <MaintenanceActions maintenance={row.original} onRecord={onRecord} />
            <EditLink name={row.original.title} to={paths.schedules.edit(row.original.id)} />
            <DeleteItem kind={maintenanceKind} item={row.original} />
          </div>
        </div>
      ),
    }),
  ]);

const statuses = statusChoices(maintenanceStatuses);

export function MaintenancesPage() {
  const navigate = useNavigate();
  const { refresh } = useList<Maintenance>(endpoints.maintenances.list);
  const { record, dialog } = useRecordMaintenanceUpdate(refresh);
  const columns = useMemo(() => columnsWith(record), [record]);
  const filter = useSearchFilter<Maintenance>({ textOf: maintenanceKind.nameOf, statuses });
  return (
    <CompletionQuestion>
      <ListPage
        kind={maintenanceKind}
        title="Maintenance"
        action={
          <Button variant="primary" onClick={() => void navigate(paths.schedules.create)}>
            <Plus aria-hidden /> New Maintenance
          </Button>
        }
        columns={columns}
        wide
        filter={filter}
        emptyHint="Schedule maintenance to tell your visitors before it begins."
      />
      {dialog}
    </CompletionQuestion>
  );
}
