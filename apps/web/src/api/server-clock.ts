/**
 * A smaller difference is ignored: the `Date` header has whole seconds, and a response takes time.
 */
const toleranceMs = 5_000;

/** Milliseconds that the server's clock is ahead of the browser's. */
let aheadMs = 0;

/** Compares the browser's clock with the `Date` of a response. */
export function readServerClock(response: Response): void {
  const sent = Date.parse(response.headers.get('Date') ?? '');
  if (Number.isNaN(sent)) return;
  const difference = sent - Date.now();
  aheadMs = Math.abs(difference) > toleranceMs ? difference : 0;
}

/**
 * Returns the current time by the server's clock, or by the browser's before the first response.
 */
export function serverNow(): Date {
  return new Date(Date.now() + aheadMs);
}
