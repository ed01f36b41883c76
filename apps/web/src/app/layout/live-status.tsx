import { Wifi, WifiOff } from 'lucide-react';
import { useRealtime, useSocketStatus } from '@/realtime/realtime';
import type { SocketStatus } from '@/realtime/connection';
import { Button } from '@/ui/button';
import { cn } from '@/ui/cn';
import { Tooltip } from '@/ui/tooltip';

const looks: Record<SocketStatus, { label: string; icon: typeof Wifi; className: string }> = {
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

/** Whether the screens follow what others do; where they have ceased to, the way back. */
export function LiveStatus() {
  const connection = useRealtime();
  const status = useSocketStatus();
  const { label, icon: Icon, className } = looks[status];
  return (
    <div className="flex items-center gap-1">
      <Tooltip content={label} side="bottom">
        <span className="grid size-8 place-content-center">
          <Icon aria-hidden className={cn('size-4', className)} />
        </span>
      </Tooltip>
      <span role="status" className="sr-only">
        {label}
      </span>
      {status === 'reconnect_failed' && (
        <Button size="sm" onClick={connection?.reconnect}>
          Reconnect
        </Button>
      )}
    </div>
  );
}
