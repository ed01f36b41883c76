import { useSearchParams } from 'react-router-dom';
import { paths } from '@/paths';

export const ranges = [7, 30, 90, 365] as const;

export type Range = (typeof ranges)[number];

const standard: Range = 30;

/** The number of days in the address: `?days=90`. */
export function useRange(): Range {
  const [search] = useSearchParams();
  const days = search.get('days');
  return ranges.find((range) => String(range) === days) ?? standard;
}

/** The address of the screen with a range. */
export function rangeAddress(range: Range): string {
  return range === standard ? paths.metrics : `${paths.metrics}?days=${String(range)}`;
}
