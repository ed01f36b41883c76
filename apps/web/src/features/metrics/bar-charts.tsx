import { useState, type Ref } from 'react';
import {
  Bar,
  BarChart,
  CartesianGrid,
  LabelList,
  Tooltip,
  XAxis,
  YAxis,
  type YAxisTickContentProps,
} from 'recharts';
import { useMediaQuery } from '@/ui/use-media-query';
import { columnsHeight, rowsHeight } from './chart-height';
import { ChartTip } from './chart-tip';
import { NameTick } from './name-tick';
import { countTicks, type Point } from './series';

const axisText = { fill: 'var(--muted)', fontSize: 12 };
/** Pixels between a name and its bar. */
const nameGap = 10;

interface ChartProps {
  label: string;
  points: readonly Point[];
  format: (value: number) => string;
  /** Colour of a bar, a token of the theme; by default the accent. */
  colour?: (point: Point) => string;
}

interface RowsChartProps extends ChartProps {
  /** Start of the axis of values. */
  floor?: number;
  /**
   * Values that the axis names, the last one at its end; by default even whole numbers up to the
   * largest value.
   */
  ticks?: readonly number[];
}

/**
 * A bar for each point, from left to right, with its name before and its value behind it. Live
 * charts do not move by themselves.
 */
export function RowsChart({
  label,
  points,
  format,
  colour,
  floor = 0,
  ticks = countTicks(points),
}: RowsChartProps) {
  const [region, setRegion] = useState<HTMLElement | null>(null);
  // Phones keep room for the bars.
  const nameWidth = useMediaQuery('(width < 400px)') ? 96 : 140;
  return (
    <>
      <ChosenBar ref={setRegion} />
      <BarChart
        responsive
        accessibilityLayer
        aria-label={label}
        layout="vertical"
        data={points.map((point) => ({ ...point, fill: colour?.(point) ?? 'var(--accent)' }))}
        margin={{ top: 0, right: 84, bottom: 0, left: 0 }}
        style={{ width: '100%', height: rowsHeight(points) }}
      >
        <CartesianGrid horizontal={false} stroke="var(--line)" />
        <XAxis
          type="number"
          domain={[floor, ticks.at(-1) ?? 'dataMax']}
          ticks={[...ticks]}
          interval="equidistantPreserveStart"
          allowDataOverflow
          tickFormatter={format}
          tick={axisText}
          tickLine={false}
          axisLine={false}
          minTickGap={24}
        />
        <YAxis
          type="category"
          dataKey="id"
          tick={({ x, y, payload }: YAxisTickContentProps) => (
            <NameTick
              x={Number(x)}
              y={Number(y)}
              width={nameWidth - nameGap}
              name={nameOf(points, String(payload.value))}
            />
          )}
          tickLine={false}
          axisLine={{ stroke: 'var(--line-strong)' }}
          width={nameWidth}
          interval={0}
        />
        <Tooltip
          cursor={{ fill: 'var(--hover)' }}
          content={(shown) => <ChartTip {...shown} format={format} region={region} />}
        />
        <Bar dataKey="value" barSize={16} radius={[0, 3, 3, 0]} isAnimationActive={false}>
          <LabelList
            dataKey="value"
            position="right"
            fill="var(--ink)"
            fontSize={12}
            formatter={(value) => format(Number(value))}
          />
        </Bar>
      </BarChart>
    </>
  );
}

/** A bar for each point in time, side by side. */
export function ColumnsChart({ label, points, format }: ChartProps) {
  const [region, setRegion] = useState<HTMLElement | null>(null);
  // Few incidents must not look like many.
  const ticks = countTicks(points, 4);
  return (
    <>
      <ChosenBar ref={setRegion} />
      <BarChart
        responsive
        accessibilityLayer
        aria-label={label}
        data={[...points]}
        margin={{ top: 8, right: 8, bottom: 0, left: 0 }}
        style={{ width: '100%', height: columnsHeight }}
      >
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="id"
          tickFormatter={(id: string) => nameOf(points, id)}
          tick={axisText}
          tickLine={false}
          axisLine={{ stroke: 'var(--line-strong)' }}
          interval="equidistantPreserveStart"
          minTickGap={16}
        />
        <YAxis
          domain={[0, ticks.at(-1) ?? 'dataMax']}
          ticks={ticks}
          tick={axisText}
          tickLine={false}
          axisLine={false}
          width={32}
        />
        <Tooltip
          cursor={{ fill: 'var(--hover)' }}
          content={(shown) => <ChartTip {...shown} format={format} region={region} />}
        />
        <Bar
          dataKey="value"
          maxBarSize={36}
          radius={[3, 3, 0, 0]}
          fill="var(--accent)"
          isAnimationActive={false}
        />
      </BarChart>
    </>
  );
}

/** Where the bar that is chosen is announced. */
function ChosenBar({ ref }: { ref: Ref<HTMLParagraphElement> }) {
  return <p ref={ref} role="status" aria-live="assertive" className="sr-only" />;
}

function nameOf(points: readonly Point[], id: string): string {
  return points.find((point) => point.id === id)?.name ?? '';
}
