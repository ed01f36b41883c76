import { lazy, Suspense, type ComponentProps } from 'react';
import { loadCode } from '@/api/load-code';
import { Skeleton } from '@/ui/skeleton';
import { columnsHeight, rowsHeight } from './chart-height';

// Loaded separately, so that the tables do not wait for the chart library.
const charts = () => loadCode(() => import('./bar-charts'));
const LazyRows = lazy(async () => ({ default: (await charts()).RowsChart }));
const LazyColumns = lazy(async () => ({ default: (await charts()).ColumnsChart }));

export function Rows(props: ComponentProps<typeof LazyRows>) {
  return (
    <Suspense fallback={<Placeholder height={rowsHeight(props.points)} />}>
      <LazyRows {...props} />
    </Suspense>
  );
}

export function Columns(props: ComponentProps<typeof LazyColumns>) {
  return (
    <Suspense fallback={<Placeholder height={columnsHeight} />}>
      <LazyColumns {...props} />
    </Suspense>
  );
}

function Placeholder({ height }: { height: number }) {
  return (
    <div style={{ height }}>
      <Skeleton className="size-full" />
    </div>
  );
}
