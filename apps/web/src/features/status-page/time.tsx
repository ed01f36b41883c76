import { useSyncExternalStore } from 'react';
import { formatInstant } from '@/ui/datetime';
import { distanceMs, distanceText } from './relative-time';

interface TimeWithDistanceProps {
  /**
   * `dd` for the times of a maintenance, which may be in the future; starter/local-times.ts relies
   * on it.
   */
  as?: 'span' | 'dd';
  label?: string;
  value: string | null;
  /** Whether the time is in the past, also for a viewer whose clock is slow. */
  isPast?: boolean;
}

/** A time and, if there is room beside it, its distance from now. */
export function TimeWithDistance({
  as: Element = 'span',
  label,
  value,
  isPast = Element === 'span',
}: TimeWithDistanceProps) {
  const now = useNow();
  const time = <LocalTime value={value} />;
  return (
    <Element className="time">
      {label ? (
        <span>
          {`${label} `}
          {time}
        </span>
      ) : (
        time
      )}
      {value && (
        <span className="time-distance" suppressHydrationWarning>
          {distanceText(value, now, isPast)}
        </span>
      )}
    </Element>
  );
}

/**
 * A time in the visitor's time zone. The server writes it in that of the page, and
 * starter/local-times.ts like this.
 */
function LocalTime({ value }: { value: string | null }) {
  if (value === null) return <span>---</span>;
  return (
    <time dateTime={value} title={value}>
      {formatInstant(value)}
    </time>
  );
}

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

/** Returns the current time in steps of half a minute, from one clock for the whole page. */
function useNow(): number {
  return useSyncExternalStore(
    subscribe,
    () => now,
    () => now,
  );
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    now = Date.now();
    timer = setInterval(tick, distanceMs);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}
