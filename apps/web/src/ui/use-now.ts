import { useEffect, useState } from 'react';
import { serverNow } from '@/api/server-clock';

/**
 * The current time in milliseconds by the clock of the server. It moves on each
 * `interval` milliseconds.
 */
export function useNow(interval: number): number {
  const [now, setNow] = useState(() => serverNow().getTime());
  useEffect(() => {
    const timer = window.setInterval(() => setNow(serverNow().getTime()), interval);
    return () => window.clearInterval(timer);
  }, [interval]);
  return now;
}
