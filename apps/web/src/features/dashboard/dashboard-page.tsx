import type { Dashboard } from '@/api/types';
import { usePolling } from '@/api/use-polling';
import { useQuery } from '@/api/use-query';
import { useAuth } from '@/auth/auth';
import { endpoints } from '@/paths';
import { Card } from '@/ui/card';
import { LoadFailure, RefreshFailure } from '@/ui/load-failure';
import { PageHeader } from '@/ui/page-header';
import { Skeleton } from '@/ui/skeleton';
import { useErrorToast } from '@/ui/use-error-toast';
import { useNow } from '@/ui/use-now';
import { usePageTitle } from '@/ui/use-page-title';
import { AffectedComponents } from './affected-components';
import { FirstSteps } from './first-steps';
import { Headline } from './headline';
import { LastChanges } from './last-changes';
import { OpenIncidents } from './open-incidents';
import { PlannedMaintenances } from './planned-maintenances';
import { SubscribersCard } from './subscribers-card';

const fetchFailed = 'Error while fetching the dashboard';

/** Subscribers and messages cause no events. */
const pollIntervalMs = 60_000;
const pollIntervalWhileSendingMs = 10_000;

export function DashboardPage() {
  usePageTitle('Dashboard');
  const { data, error, refresh } = useQuery<Dashboard>(endpoints.dashboard);
  const { state } = useAuth();
  const organisationId = state.status === 'signed-in' ? (state.organisation?.id ?? '') : '';
  const isSending = data !== undefined && data.deliveries.waiting > 0;
  useErrorToast(error !== undefined, fetchFailed);
  usePolling(refresh, isSending ? pollIntervalWhileSendingMs : pollIntervalMs);

  return (
    <div className="grid min-w-0 gap-4" aria-busy={data === undefined && error === undefined}>
      <PageHeader title="Dashboard" />
      {data && error && <RefreshFailure onRetry={refresh} />}
      {data ? (
        <Overview dashboard={data} organisationId={organisationId} onChange={refresh} />
      ) : error ? (
        <LoadFailure
          title="The dashboard could not be loaded"
          reason={error.message}
          onRetry={refresh}
        />
      ) : (
        <Placeholder />
      )}
    </div>
  );
}

interface OverviewProps {
  dashboard: Dashboard;
  organisationId: string;
  onChange: () => Promise<unknown>;
}

function Overview({ dashboard, organisationId, onChange }: OverviewProps) {
  const now = useNow(15_000);
  const { banner, incidents, maintenances, changes } = dashboard;
  return (
    <>
      {banner ? (
        <Headline banner={banner} organisationId={organisationId} />
      ) : (
        <FirstSteps organisationId={organisationId} />
      )}
      <div className="grid min-w-0 items-start gap-4 xl:grid-cols-3">
        <div className="grid min-w-0 gap-4 xl:col-span-2">
          <OpenIncidents incidents={incidents} now={now} onRecorded={onChange} />
          {banner && <AffectedComponents dashboard={dashboard} />}
          <PlannedMaintenances maintenances={maintenances} now={now} onChange={onChange} />
        </div>
        <div className="grid min-w-0 gap-4">
          <SubscribersCard {...dashboard} />
          <LastChanges changes={changes} now={now} />
        </div>
      </div>
    </>
  );
}

function Placeholder() {
  return (
    <>
      <span className="sr-only">Loading...</span>
      <Card className="grid gap-2 px-4 py-4">
        <Skeleton className="h-5 w-64 max-w-full" />
        <Skeleton className="w-48 max-w-full" />
      </Card>
      <div className="grid items-start gap-4 xl:grid-cols-3">
        {['xl:col-span-2', ''].map((span) => (
          <Card key={span} className={`grid gap-4 p-4 ${span}`}>
            {[0, 1, 2, 3].map((row) => (
              <Skeleton key={row} className="h-5 w-full" />
            ))}
          </Card>
        ))}
      </div>
    </>
  );
}
