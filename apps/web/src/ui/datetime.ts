const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** How the product writes a moment, in the reader's own time zone: "MMM dd, yyyy hh:mm:ss a". */
export function formatInstant(instant: string | number | Date): string {
  const date = new Date(instant);
  const hours = date.getHours();
  const clock = [hours % 12 || 12, date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
  const day = `${months[date.getMonth()]} ${twoDigits(date.getDate())}`;
  return `${day}, ${year(date)} ${clock} ${hours < 12 ? 'AM' : 'PM'}`;
}

/** A moment as `<input type="datetime-local">` takes it: local time, 16 characters, to the minute. */
export function toLocalMinute(instant: string): string {
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) return '';
  const day = [year(date), twoDigits(date.getMonth() + 1), twoDigits(date.getDate())].join('-');
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

/** Now, as a form offers it: to the minute. */
export function currentMinute(): string {
  const minute = 60_000;
  return new Date(Math.floor(Date.now() / minute) * minute).toISOString();
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

function year(date: Date): string {
  return String(date.getFullYear()).padStart(4, '0');
}
