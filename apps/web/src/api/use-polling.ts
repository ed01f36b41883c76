import { useEffect, useEffectEvent } from 'react';

/** Calls `refresh` in this interval while the page is visible: for what makes no events. */
export function usePolling(refresh: () => void, intervalMs: number): void {
  const poll = useEffectEvent(refresh);
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') poll();
    }, intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
}
