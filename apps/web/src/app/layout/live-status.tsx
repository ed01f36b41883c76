import { Wifi, WifiOff } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useNotLiveSince, useRealtime, useSocketStatus } from '@/realtime/realtime';
import type { SocketStatus } from '@/realtime/connection';
import { Alert } from '@/ui/alert';
import { Button } from '@/ui/button';
import { cn } from '@/ui/cn';
import { timeOfDay } from '@/ui/datetime';
import { Tooltip } from '@/ui/tooltip';

const indicators: Record<SocketStatus, { label: string; icon: typeof Wifi; className: string }> = {
  connected: { label: 'Live updates: connected', icon: Wifi, className: 'text-subtle' },
  connecting: {
    label: 'Live updates: connecting',
    icon: Wifi,
    className: 'animate-pulse text-subtle',
  },
  disconnected: { label: 'Live updates: disconnected', icon: WifiOff, className: 'text-subtle' },
  reconnect_failed: {
    label: 'Live updates: could not reconnect',
    icon: WifiOff,
    className: 'text-partial',
  },
};

/** A loss of the connection that ends sooner is shown, but not announced. */
const announcedAfterMs = 5000;

/** Returns what is announced: a loss that lasts, and that the updates are back after such a loss. */
function useAnnouncement(isConnected: boolean): string {
  const [wasConnected, setWasConnected] = useState(isConnected);
  const [isLossAnnounced, setLossAnnounced] = useState(false);
  if (isConnected !== wasConnected) {
    setWasConnected(isConnected);
    if (!isConnected) setLossAnnounced(false);
  }
  useEffect(() => {
    if (isConnected) return;
    const timer = setTimeout(() => setLossAnnounced(true), announcedAfterMs);
    return () => clearTimeout(timer);
  }, [isConnected]);
  if (!isLossAnnounced) return '';
  return isConnected ? 'Live updates are back' : 'Live updates are interrupted';
}

/** Status of the live updates. Later attempts do not change it until one succeeds. */
export function LiveStatus() {
  const status = useSocketStatus();
  const isNotLive = useNotLiveSince() !== null;
  const { label, icon: Icon, className } = indicators[isNotLive ? 'reconnect_failed' : status];
  const announcement = useAnnouncement(status === 'connected');
  return (
    <>
      <Tooltip content={label} side="bottom">
        <span className="grid size-8 place-content-center">
          <Icon aria-hidden className={cn('size-4', className)} />
        </span>
      </Tooltip>
      <span className="sr-only">{label}</span>
      <span role="status" className="sr-only">
        {announcement}
      </span>
    </>
  );
}

/**
 * Says that lists may be out of date, with a button to reconnect, after the attempts are exhausted.
 */
export function NotLiveBar() {
  const connection = useRealtime();
  const status = useSocketStatus();
  const since = useNotLiveSince();
  const place = useRef<HTMLDivElement>(null);
  const isTrying = status !== 'reconnect_failed';

  function reconnect() {
    // The button disappears, so the focus moves to its container.
    place.current?.focus();
    connection?.reconnect();
  }

  return (
    <div ref={place} tabIndex={-1} data-print="hidden" className="outline-none">
      {since !== null && (
        <Alert
          kind="warning"
          className="mb-4"
          action={
            <Button size="sm" disabled={isTrying} onClick={reconnect}>
              {isTrying ? 'Reconnecting...' : 'Reconnect'}
            </Button>
          }
        >
          Not live since {timeOfDay(since)}. Lists may be out of date.
        </Alert>
      )}
    </div>
  );
}
