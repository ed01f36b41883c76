import { Wifi, WifiOff } from 'lucide-react';
import { useRef } from 'react';
import { useRealtime, useSocketStatus } from '@/realtime/realtime';
import type { SocketStatus } from '@/realtime/connection';
import { Button } from '@/ui/button';
import { cn } from '@/ui/cn';
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

/** Status of the live updates, with a button to reconnect after the last attempt has failed. */
export function LiveStatus() {
  const connection = useRealtime();
  const status = useSocketStatus();
  const { label, icon: Icon, className } = indicators[status];
  const place = useRef<HTMLDivElement>(null);
  const failed = status === 'reconnect_failed';

  function reconnect() {
    // The button disappears, so the focus moves to its container.
    place.current?.focus();
    connection?.reconnect();
  }

  return (
    <div ref={place} tabIndex={-1} className="flex items-center gap-1 outline-none">
      <Tooltip content={label} side="bottom">
        <span className={cn('grid size-8 place-content-center', failed && 'max-sm:hidden')}>
          <Icon aria-hidden className={cn('size-4', className)} />
        </span>
      </Tooltip>
      <span role="status" className="sr-only">
        {label}
      </span>
      {failed && (
        <Button size="sm" onClick={reconnect}>
          Reconnect
        </Button>
      )}
    </div>
  );
}
