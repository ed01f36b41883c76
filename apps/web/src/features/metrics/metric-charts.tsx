import { BellOff, CircleCheck } from 'lucide-react';
import { useMemo } from 'react';
import { Link } from 'react-router-dom';
import type { Metrics } from '@/api/types';
import { paths } from '@/paths';
import { useUniqueName } from '@/shared-features/affected/component-groups';
import { buttonVariants } from '@/ui/button-variants';
import { formatDuration } from '@/ui/duration';
import { EmptyState } from '@/ui/empty-state';
import { formatNumber } from '@/ui/format';
import { ChartCard } from './chart-card';
import { chartFile } from './csv';
import { Columns, Rows } from './lazy-charts';
import {
  durationSeries,
  durationTicks,
  incidentSeries,
  messageSeries,
  mostBars,
  weekSeries,
  type Point,
} from './series';
import { UptimeChart } from './uptime-charts';

/** The charts of some days. */
export function MetricCharts({ metrics: read }: { metrics: Metrics }) {
  const uniqueName = useUniqueName();
  const metrics = useMemo(() => withNames(read, uniqueName), [read, uniqueName]);
  return (
    <div className="grid min-w-0 items-start gap-4 xl:grid-cols-2">
      <UptimeChart metrics={metrics} kind="component" />
      {metrics.groups.length > 0 && <UptimeChart metrics={metrics} kind="group" />}
      <Incidents metrics={metrics} />
      <Durations metrics={metrics} />
      <Messages metrics={metrics} />
    </div>
  );
}

function withNames(
  metrics: Metrics,
  nameOf: (component: { id: string; name: string }) => string,
): Metrics {
  const named = <T extends { id: string; name: string }>(components: readonly T[]) =>
    components.map((component) => ({ ...component, name: nameOf(component) }));
  return {
    ...metrics,
    components: named(metrics.components),
    incidentsByComponent: named(metrics.incidentsByComponent),
  };
}

function Incidents({ metrics }: { metrics: Metrics }) {
  const weeks = useMemo(() => weekSeries(metrics.incidentsByWeek), [metrics.incidentsByWeek]);
  const components = useMemo(
    () => incidentSeries(metrics.incidentsByComponent, metrics.components),
    [metrics.incidentsByComponent, metrics.components],
  );
  const isCut = components.points.length < components.rows.length;
  const shown = isCut ? `The ${String(mostBars)} with the most; the table has all. ` : '';
  const total = metrics.incidentsByWeek.reduce((sum, week) => sum + week.count, 0);
  const none = (
    <EmptyState
      icon={CircleCheck}
      title="No incidents on these days"
      action={
        <Link to={paths.incidents.list} className={buttonVariants()}>
          Open the List
        </Link>
      }
    />
  );
  return (
    <>
      <ChartCard
        title="Incidents by week"
        description={`${formatNumber(total)} in total, by the week in which they began`}
        series={weeks}
        fileName={chartFile(metrics, 'incidents-by-week')}
        empty={total === 0 && none}
      >
        <Columns label="Incidents by week, chart" points={weeks.points} format={formatNumber} />
      </ChartCard>
      <ChartCard
        title="Incidents by component"
        description={`${shown}An incident counts for each component that it affected${isCut ? '.' : ''}`}
        series={components}
        fileName={chartFile(metrics, 'incidents-by-component')}
        empty={components.points.length === 0 && none}
      >
        <Rows
          label="Incidents by component, chart"
          points={components.points}
          format={formatNumber}
        />
      </ChartCard>
    </>
  );
}

function Durations({ metrics }: { metrics: Metrics }) {
  const series = useMemo(() => durationSeries(metrics), [metrics]);
  return (
    <ChartCard
      title="Time to react"
      description="From the beginning of an incident to its first update, and to its resolution"
      series={series}
      fileName={chartFile(metrics, 'time-to-react')}
      empty={
        series.points.length === 0 && (
          <EmptyState
            icon={CircleCheck}
            title="Nothing to measure on these days"
            action={
              <Link to={paths.incidents.list} className={buttonVariants()}>
                Open the List
              </Link>
            }
          >
            An incident counts once it has an update or is resolved.
          </EmptyState>
        )
      }
    >
      <Rows
        label="Time to react, chart"
        points={series.points}
        format={formatDuration}
        ticks={durationTicks(series.points)}
      />
    </ChartCard>
  );
}

function Messages({ metrics }: { metrics: Metrics }) {
  const { mails } = metrics;
  const series = useMemo(() => messageSeries(mails), [mails]);
  return (
    <ChartCard
      title="Messages to subscribers"
      description="Sent and failed, on all channels"
      series={series}
      fileName={chartFile(metrics, 'messages')}
      empty={
        mails.sent + mails.failed === 0 && (
          <EmptyState
            icon={BellOff}
            title="No messages on these days"
            action={
              <Link to={paths.subscribers} className={buttonVariants()}>
                Open the List
              </Link>
            }
          >
            Subscribers get a message when something happens or is planned.
          </EmptyState>
        )
      }
    >
      <Rows
        label="Messages to subscribers, chart"
        points={series.points}
        format={formatNumber}
        colour={messageColour}
      />
    </ChartCard>
  );
}

function messageColour({ id }: Point): string {
  return id === 'Failed' ? 'var(--major-solid)' : 'var(--accent)';
}
