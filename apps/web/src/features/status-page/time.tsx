import { useSyncExternalStore } from 'react';
import { formatInstant, formatUtc } from '@/ui/datetime';

interface TimeWithDistanceProps {
  as?: 'span' | 'dd';
  label?: string;
  value: string | null;
}

/** A time and, if there is room beside it, its distance from now. */
export function TimeWithDistance({ as: Element = 'span', label, value }: TimeWithDistanceProps) {
  const now = useNow();
  const isHydrated = useHydrated();
  return (
    <Element className="time">
      {label ? (
        <span>
          <span>{`${label} `}</span>
          <LocalTime value={value} />
        </span>
      ) : (
        <LocalTime value={value} />
      )}
      {value && isHydrated && (
        <span className="time-distance">{` · ${relativeTime(value, now)}`}</span>
      )}
    </Element>
  );
}

/** A time in the visitor's time zone; until hydration as the server wrote it, in the zone of the page. */
export function LocalTime({ value }: { value: string | null }) {
  const isHydrated = useHydrated();
  if (value === null) return <span>---</span>;
  return (
    <time dateTime={value} title={isHydrated ? value : undefined} suppressHydrationWarning>
      {isHydrated ? formatInstant(value) : formatUtc(value)}
    </time>
  );
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** "2 hours ago", "in 3 days"; "just now" within the minute. */
function relativeTime(instant: string, now: number): string {
  const distance = Date.parse(instant) - now;
  const unit = units.find(([, ms]) => Math.abs(distance) >= ms);
  return unit ? words.format(Math.trunc(distance / unit[1]), unit[0]) : 'just now';
}

const stepMs = 30_000;
const listeners = new Set<() => void>();
let timer: number | undefined;
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
    timer = window.setInterval(tick, stepMs);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.clearInterval(timer);
  };
}

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}

const never = () => () => undefined;

/**
 * Whether the script has taken the page over. False only while it does: what it shows then is what the server wrote,
 * which knows neither the reader's time zone nor their clock.
 */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
