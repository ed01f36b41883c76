const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** Formats a time in the local time zone: "MMM dd, yyyy hh:mm:ss a". */
export function formatInstant(instant: string | number | Date): string {
  const date = new Date(instant);
  const hours = date.getHours();
  const clock = [hours % 12 || 12, date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
  const day = `${months[date.getMonth()]} ${twoDigits(date.getDate())}, ${date.getFullYear()}`;
  return `${day} ${clock} ${hours < 12 ? 'AM' : 'PM'}`;
}

/** Formats hour and minute; with the day unless it is today. */
export function timeOfDay(instant: string | number): string {
  const then = new Date(instant);
  if (then.toDateString() !== new Date().toDateString()) return formatInstant(then);
  return then.toLocaleTimeString('en-US', { hour: '2-digit', minute: '2-digit' });
}

export function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
