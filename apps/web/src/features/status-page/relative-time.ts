import type { Instant } from '@/api/types';

/** Interval at which the distances of times are written again. */
export const distanceMs = 30_000;

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

// Without the words of the calendar: "tomorrow" is no number of hours.
const words = new Intl.RelativeTimeFormat('en');

/**
 * How far away a time is, as it stands beside it: " 2 hours ago", " in 3 days"; " just now"
 * within the minute. A time that `isPast` is never in the future, also if the viewer's clock is
 * slow.
 */
export function distanceText(instant: Instant, now: number, isPast: boolean): string {
  const distance = Math.min(Date.parse(instant) - now, isPast ? 0 : Infinity);
  const unit = units.find(([, ms]) => Math.abs(distance) >= ms);
  return ` ${unit ? words.format(Math.trunc(distance / unit[1]), unit[0]) : 'just now'}`;
}
