import type { Instant } from '@/api/types';

/** Whether the page is up to date. */
export interface ConnectionState {
  status: 'connecting' | 'live' | 'reconnecting';
  /** Last time at which the state was known to be current; unused while live. */
  asOf: Instant;
}

/** Returns the connection after it was made or lost. */
export function afterConnected(
  before: ConnectionState,
  connected: boolean,
  now: Instant = new Date().toISOString(),
): ConnectionState {
  if (connected) return { ...before, status: 'live' };
  return { status: 'reconnecting', asOf: before.status === 'live' ? now : before.asOf };
}

/** What the page says about its connection; while reconnecting, the time of its state follows. */
export const connectionTexts = {
  connecting: 'Connecting',
  live: 'Live',
  reconnecting: 'Reconnecting · state of ',
} as const;

/** The time zone of the times that the script writes. */
export function timeZoneText(): string {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return `All times are in ${zone.replaceAll('_', ' ')}`;
}
