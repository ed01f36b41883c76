import { format } from 'date-fns/format';

/** How the product writes a moment, in the reader's own time zone. */
export function formatInstant(instant: string | number | Date): string {
  return format(new Date(instant), 'MMM dd, yyyy hh:mm:ss a');
}

/** A moment as `<input type="datetime-local">` takes it: local time, 16 characters, to the minute. */
export function toLocalMinute(instant: string): string {
  const date = new Date(instant);
  return Number.isNaN(date.getTime()) ? '' : format(date, "yyyy-MM-dd'T'HH:mm");
}

/**
 * The moment in UTC that a local time names; '' for what is no time. Where the clock is set back and a time
 * comes twice it is the first of the two; where it is set forward and a time is skipped, the hour after.
 */
export function fromLocalMinute(local: string): string {
  const date = new Date(local);
  return local === '' || Number.isNaN(date.getTime()) ? '' : date.toISOString();
}
