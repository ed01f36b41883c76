import type { Point } from './series';

/** Heights of the charts in pixels, also of their placeholders. */
export const columnsHeight = 240;

export function rowsHeight(points: readonly Point[]): number {
  return points.length * 34 + 30;
}
