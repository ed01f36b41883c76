import { lazy, Suspense, type ComponentProps } from 'react';
import { loadCode } from '@/api/load-code';
import { Skeleton } from '@/ui/skeleton';

// Loaded separately, so that the tables do not wait for the chart library.
const charts = () => loadCode(() => import('./bar-charts'));
const LazyRows = lazy(async () => ({ default: (await charts()).RowsChart }));
const LazyColumns = lazy(async () => ({ default: (await charts()).ColumnsChart }));

export function Rows(props: ComponentProps<typeof LazyRows>) {
  return (
    <Suspense fallback={<Skeleton className="h-40 w-full" />}>
      <LazyRows {...props} />
    </Suspense>
  );
}

export function Columns(props: ComponentProps<typeof LazyColumns>) {
  return (
    <Suspense fallback={<Skeleton className="h-60 w-full" />}>
      <LazyColumns {...props} />
    </Suspense>
  );
}
