import { Plus } from 'lucide-react';
import { Link } from 'react-router-dom';
import { useList } from '@/api/use-list';
import { calls, paths } from '@/paths';
import { Button } from '@/ui/button';
import { buttonVariants } from '@/ui/button-variants';
import { DataTable } from '@/ui/data-table/data-table';
import { LoadFailure } from '@/ui/load-failure';
import { PageHeader } from '@/ui/page-header';
import { useErrorToast } from '@/ui/use-error-toast';
import { usePageTitle } from '@/ui/use-page-title';
import { DeleteMaintenances } from './delete-maintenances';
import type { Maintenance } from './maintenance';
import { maintenanceColumns } from './maintenance-columns';

const fetchFailed = 'Failed to fetch maintenance list';

export function MaintenancesPage() {
  usePageTitle('Maintenance');
  const list = useList<Maintenance>(calls.maintenances.list);
  useErrorToast(list.error !== undefined, fetchFailed);

  return (
    <div className="grid min-w-0 gap-4">
      <PageHeader
        title="Maintenance"
        actions={
          <Link to={paths.schedules.create} className={buttonVariants({ variant: 'primary' })}>
            <Plus aria-hidden /> New Maintenance
          </Link>
        }
      />
      {list.error && list.rows === undefined ? (
        <LoadFailure
          title={fetchFailed}
          reason={list.error.message}
          onRetry={() => void list.refresh()}
        />
      ) : (
        <DataTable
          wide
          label="Maintenance"
          columns={maintenanceColumns}
          rows={list.rows}
          getRowId={(maintenance) => maintenance.id}
          rowLabel={(maintenance) => maintenance.title}
          emptyHint="Schedule maintenance to tell your visitors before it begins."
          bulkActions={(selected, clear) => (
            <DeleteMaintenances maintenances={selected} onDeleted={clear} />
          )}
          footer={
            list.hasOlder && (
              <Button size="sm" pending={list.isLoadingOlder} onClick={list.showOlder}>
                Show older
              </Button>
            )
          }
        />
      )}
    </div>
  );
}
