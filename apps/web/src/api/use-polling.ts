import { useEffect, useEffectEvent, useRef } from 'react';

/**
 * Calls `refresh` in this interval while the page is visible: for what makes no events. Skips a
 * tick while the previous call runs, because requests wait while the user has to sign in again.
 */
export function usePolling(refresh: () => Promise<unknown>, intervalMs: number): void {
  const poll = useEffectEvent(refresh);
  const isRunning = useRef(false);
  useEffect(() => {
    const timer = setInterval(() => {
      if (isRunning.current || document.visibilityState !== 'visible') return;
      isRunning.current = true;
      void poll().finally(() => {
        isRunning.current = false;
      });
    }, intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
}
