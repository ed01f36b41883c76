import { cn } from '@/ui/cn';
import { formatInstant } from '@/ui/datetime';
import { Instant } from './instant';
import type { Live } from './use-live';
import { useTakeover } from './use-takeover';

const dots = {
  connecting: 'bg-neutral-solid',
  live: 'bg-operational-solid',
  reconnecting: 'bg-degraded-solid animate-pulse',
};

/** How much the page can be trusted: it is live, or it shows the state of an earlier time. */
export function LiveIndicator({ connection, asOf }: Pick<Live, 'connection' | 'asOf'>) {
  const isTaken = useTakeover();
  return (
    <p data-print="hidden" className="flex min-w-24 items-baseline gap-2">
      <span aria-hidden className={cn('size-2 shrink-0 rounded-full', dots[connection])} />
      {isTaken ? (
        <LiveText connection={connection} asOf={asOf} />
      ) : (
        <span>
          {'State of '}
          <Instant value={asOf} />
        </span>
      )}
    </p>
  );
}

function LiveText({ connection, asOf }: Pick<Live, 'connection' | 'asOf'>) {
  switch (connection) {
    case 'connecting':
      return <span>Connecting</span>;
    case 'live':
      return <span>Live</span>;
    case 'reconnecting':
      return (
        <span>
          {'Reconnecting · state of '}
          <time dateTime={asOf} title={formatInstant(asOf)} className="whitespace-nowrap">
            {timeOfDay(asOf)}
          </time>
        </span>
      );
  }
}

/** The hour and the minute; the day too when it is not today. */
function timeOfDay(instant: string): string {
  const then = new Date(instant);
  if (then.toDateString() !== new Date().toDateString()) return formatInstant(then);
  return then.toLocaleTimeString('en-US', { hour: '2-digit', minute: '2-digit' });
}
