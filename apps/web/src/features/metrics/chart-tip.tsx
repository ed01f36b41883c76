import { createPortal } from 'react-dom';
import type { TooltipContentProps } from 'recharts';
import type { Point } from './series';

interface ChartTipProps extends Pick<TooltipContentProps, 'active' | 'payload'> {
  format: (value: number) => string;
  /**
   * Announces the bar. The chart hides the tip while no bar is chosen, so the tip itself cannot.
   */
  region: HTMLElement | null;
}

/** Name and value of the bar that the pointer or an arrow key has chosen. */
export function ChartTip({ active, payload, format, region }: ChartTipProps) {
  const point = payload[0]?.payload as Point | undefined;
  if (!active || !point) return null;
  const value = format(point.value);
  return (
    <>
      <div
        aria-hidden
        className="max-w-64 rounded-md border border-line bg-raised px-3 py-2 text-sm shadow-high"
      >
        <p dir="auto" className="wrap-anywhere text-muted">
          {point.name}
        </p>
        <p className="font-semibold text-ink tabular-nums">{value}</p>
      </div>
      {region && createPortal(`${point.name}: ${value}`, region)}
    </>
  );
}
