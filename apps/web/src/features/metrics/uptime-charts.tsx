import { Boxes } from 'lucide-react';
import { useMemo } from 'react';
import { Link } from 'react-router-dom';
import type { Metrics } from '@/api/types';
import { Permitted } from '@/auth/permitted';
import { paths } from '@/paths';
import { buttonVariants } from '@/ui/button-variants';
import { EmptyState } from '@/ui/empty-state';
import { formatPercent } from '@/ui/format';
import { ChartCard } from './chart-card';
import { chartFile } from './csv';
import { Rows } from './lazy-charts';
import { mostBars, uptimeFloor, uptimeSeries, type Point } from './series';

const uptimeKinds = {
  component: {
    title: 'Uptime by component',
    heading: 'Component',
    file: 'uptime-by-component',
    none: 'Uptime is measured from the first day of a component.',
  },
  group: {
    title: 'Uptime by group',
    heading: 'Group',
    file: 'uptime-by-group',
    none: 'The uptime of a group is that of its components, measured from their first day.',
  },
} as const;

interface UptimeChartProps {
  metrics: Metrics;
  kind: keyof typeof uptimeKinds;
}

/** The uptime of the components, or of the groups. */
export function UptimeChart({ metrics, kind }: UptimeChartProps) {
  const { title, heading, file: name, none } = uptimeKinds[kind];
  const uptimes = kind === 'component' ? metrics.components : metrics.groups;
  const series = useMemo(() => uptimeSeries(heading, uptimes), [heading, uptimes]);
  const isEmpty = series.points.length === 0;
  const floor = uptimeFloor(series.points);
  const isCut = series.points.length < uptimes.length && series.points.length === mostBars;
  const shown = isCut ? `The ${String(mostBars)} lowest; the table has all. ` : '';
  return (
    <ChartCard
      title={title}
      description={isEmpty ? undefined : `${shown}The axis starts at ${formatPercent(floor)}.`}
      series={series}
      fileName={chartFile(metrics, name)}
      empty={
        isEmpty && (
          <EmptyState
            icon={Boxes}
            title="No uptime to show"
            action={
              metrics.components.length === 0 ? (
                <Permitted>
                  <Link to={paths.components.create} className={buttonVariants()}>
                    Create a component
                  </Link>
                </Permitted>
              ) : (
                <Link to={paths.components.list} className={buttonVariants()}>
                  Open the List
                </Link>
              )
            }
          >
            {none}
          </EmptyState>
        )
      }
    >
      <Rows
        label={`${title}, chart`}
        points={series.points}
        format={formatPercent}
        floor={floor}
        ticks={[floor, (floor + 100) / 2, 100]}
        colour={uptimeColour}
      />
    </ChartCard>
  );
}

/**
 * The colours of the statuses: below three nines an outage is noticed, below two it is a problem.
 */
function uptimeColour({ value }: Point): string {
  if (value >= 99.9) return 'var(--operational-solid)';
  return value >= 99 ? 'var(--degraded-solid)' : 'var(--major-solid)';
}
