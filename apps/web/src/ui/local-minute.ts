import { twoDigits } from './datetime';

const minuteMs = 60_000;

/** The days that the server accepts. */
export const firstDay = '1970-01-01';
export const lastDay = '9998-12-31';

/** Converts a time for `<input type="datetime-local">`: local time to the minute. */
export function toLocalMinute(instant: string): string {
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) return '';
  const day = [
    String(date.getFullYear()).padStart(4, '0'),
    twoDigits(date.getMonth() + 1),
    twoDigits(date.getDate()),
  ].join('-');
  return `${day}T${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
}

/**
 * The moment in UTC that a local time names; what is no time stays as it is. Where the clock is set
 * forward and a time is skipped, it is the hour after. Where the clock is set back and a time comes
 * twice, it is the first of the two, or the second one if the replaced time is a second one too.
 */
export function fromLocalMinute(local: string, replaced = ''): string {
  const first = new Date(local);
  if (Number.isNaN(first.getTime())) return local;
  const second = new Date(first.getTime() + setBackBefore(replaced)).toISOString();
  return toLocalMinute(second) === local ? second : first.toISOString();
}

/**
 * The milliseconds from the first moment with the same local time; 0 if the time comes only once,
 * or is no time.
 */
function setBackBefore(instant: string): number {
  const first = new Date(toLocalMinute(instant)).getTime();
  return Number.isNaN(first) ? 0 : Math.floor((Date.parse(instant) - first) / minuteMs) * minuteMs;
}

/** Rounds a time down to the minute. */
export function startOfMinute(time: Date): string {
  return new Date(Math.floor(time.getTime() / minuteMs) * minuteMs).toISOString();
}
