const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** "2 hours ago", "in 3 days"; "just now" within the minute. */
export function relativeTime(instant: string, now: number): string {
  const distance = Date.parse(instant) - now;
  const unit = units.find(([, ms]) => Math.abs(distance) >= ms);
  return unit ? words.format(Math.trunc(distance / unit[1]), unit[0]) : 'just now';
}
