import { Link } from 'react-router-dom';
import type { Metrics } from '@/api/types';
import { usePolling } from '@/api/use-polling';
import { useQuery } from '@/api/use-query';
import { endpoints } from '@/paths';
import { Card } from '@/ui/card';
import { cn } from '@/ui/cn';
import { LoadFailure, RefreshFailure } from '@/ui/load-failure';
import { PageHeader } from '@/ui/page-header';
import { Skeleton } from '@/ui/skeleton';
import { useErrorToast } from '@/ui/use-error-toast';
import { usePageTitle } from '@/ui/use-page-title';
import { MetricCharts } from './metric-charts';
import { rangeAddress, ranges, useRange, type Range } from './range';
import { dayName } from './series';

const fetchFailed = 'Error while fetching metrics';

/** Messages and the time that passes cause no events. */
const pollIntervalMs = 60_000;

export function MetricsPage() {
  usePageTitle('Metrics');
  const range = useRange();
  const { data, error, refresh } = useQuery<Metrics>(endpoints.metrics(range));
  useErrorToast(error !== undefined, fetchFailed);
  usePolling(refresh, pollIntervalMs);

  return (
    <div className="grid min-w-0 gap-4" aria-busy={data === undefined && error === undefined}>
      <PageHeader title="Metrics" actions={<RangeLinks current={range} />} />
      {data && error && <RefreshFailure onRetry={refresh} />}
      {data ? (
        <>
          <p className="text-sm text-muted">
            {dayName(data.from)} to {dayName(data.to)}, in the time zone of your status page
          </p>
          <MetricCharts metrics={data} />
        </>
      ) : error ? (
        <LoadFailure
          title="The metrics could not be loaded"
          reason={error.message}
          onRetry={refresh}
        />
      ) : (
        <Placeholder />
      )}
    </div>
  );
}

function RangeLinks({ current }: { current: Range }) {
  return (
    <nav aria-label="Range">
      <ul className="flex flex-wrap overflow-hidden rounded-md border border-line bg-raised shadow-low">
        {ranges.map((range) => (
          <li key={range} className="border-l border-line first:border-0">
            <Link
              to={rangeAddress(range)}
              preventScrollReset
              aria-current={range === current ? 'true' : undefined}
              className={cn(
                'flex h-8 items-center px-2 text-sm font-medium whitespace-nowrap transition-colors focus-visible:-outline-offset-2 sm:px-3 pointer-coarse:h-10',
                range === current
                  ? 'bg-selected text-ink'
                  : 'text-muted hover:bg-hover hover:text-ink',
              )}
            >
              {range} days
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Placeholder() {
  return (
    <>
      <span className="sr-only">Loading...</span>
      <Skeleton className="h-5 w-80 max-w-full" />
      <div className="grid gap-4 xl:grid-cols-2">
        {[0, 1, 2, 3, 4].map((card) => (
          <Card key={card} className="grid gap-4 p-4">
            <Skeleton className="h-5 w-48" />
            <Skeleton className="h-40 w-full" />
          </Card>
        ))}
      </div>
    </>
  );
}
