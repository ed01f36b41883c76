const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Formats a time in the local time zone: "MMM dd, yyyy hh:mm:ss a". */
export function formatInstant(instant: string | number | Date): string {
  const date = new Date(instant);
  return write(
    [date.getFullYear(), date.getMonth(), date.getDate()],
    [date.getHours(), date.getMinutes(), date.getSeconds()],
  );
}

/** Formats a time in UTC, with "UTC", for use before hydration. */
export function formatUtc(instant: string): string {
  const date = new Date(instant);
  const written = write(
    [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()],
    [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()],
  );
  return `${written} UTC`;
}

type Three = [number, number, number];

function write([years, month, day]: Three, [hours, minutes, seconds]: Three): string {
  const clock = [hours % 12 || 12, minutes, seconds].map(twoDigits).join(':');
  const date = `${months[month]} ${twoDigits(day)}, ${fourDigits(years)}`;
  return `${date} ${clock} ${hours < 12 ? 'AM' : 'PM'}`;
}

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

/** Returns the current time, rounded down to the minute. */
export function currentMinute(): string {
  const minute = 60_000;
  return new Date(Math.floor(Date.now() / minute) * minute).toISOString();
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

function fourDigits(value: number): string {
  return String(value).padStart(4, '0');
}
