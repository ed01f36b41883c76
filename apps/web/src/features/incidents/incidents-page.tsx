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
import { DeleteIncidents } from './delete-incidents';
import type { Incident } from './incident';
import { incidentColumns } from './incident-columns';

const fetchFailed = 'Error while fetching incidents';

export function IncidentsPage() {
  usePageTitle('Incidents');
  const list = useList<Incident>(calls.incidents.list);
  useErrorToast(list.error !== undefined, fetchFailed);

  return (
    <div className="grid min-w-0 gap-4">
      <PageHeader
        title="Incidents"
        actions={
          <Link to={paths.incidents.create} className={buttonVariants({ variant: 'primary' })}>
            <Plus aria-hidden /> New Incident
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
          label="Incidents"
          columns={incidentColumns}
          rows={list.rows}
          getRowId={(incident) => incident.id}
          rowLabel={(incident) => incident.title}
          emptyHint="Once something goes wrong, open an incident to tell your visitors."
          bulkActions={(selected, clear) => (
            <DeleteIncidents incidents={selected} onDeleted={clear} />
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
