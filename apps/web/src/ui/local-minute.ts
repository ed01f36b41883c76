import { fourDigits, twoDigits } from './datetime';

/** Converts a time for `<input type="datetime-local">`: local time to the minute. */
export function toLocalMinute(instant: string): string {
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) return '';
  const day = [
    fourDigits(date.getFullYear()),
    twoDigits(date.getMonth() + 1),
    twoDigits(date.getDate()),
  ].join('-');
  return `${day}T${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
}

/**
 * The moment in UTC that a local time names; '' for what is no time. Where the clock is set back and a time
 * comes twice it is the first of the two; where it is set forward and a time is skipped, the hour after.
 */
export function fromLocalMinute(local: string): string {
  const date = new Date(local);
  return local === '' || Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

/** Rounds a time down to the minute. */
export function startOfMinute(time: Date): string {
  const minute = 60_000;
  return new Date(Math.floor(time.getTime() / minute) * minute).toISOString();
}
