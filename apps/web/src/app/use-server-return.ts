import { useEffect, useEffectEvent } from 'react';
import { anonymousApi } from '@/api/anonymous-api';
import { backoffMs } from '@/api/retry';
import { endpoints } from '@/paths';
import { onWake } from '@/ui/wake';

/**
 * Asks whether the server responds, and calls `onReturn` when it does after it did not. It does not
 * call it for a server that responds all the time, where a retry of something else would fail again
 * for ever.
 */
export function useServerReturn(onReturn: () => void): void {
  const report = useEffectEvent(onReturn);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let failures = 0;
    let isStopped = false;
    let isAsking = false;

    async function ask() {
      if (isAsking) return;
      clearTimeout(timer);
      isAsking = true;
      const isThere = await responds();
      isAsking = false;
      if (isStopped) return;
      if (!isThere) {
        failures += 1;
        timer = setTimeout(() => void ask(), backoffMs(failures));
      } else if (failures > 0) {
        failures = 0;
        report();
      }
    }

    void ask();
    const stopWaking = onWake(() => void ask());
    return () => {
      isStopped = true;
      stopWaking();
      clearTimeout(timer);
    };
  }, []);
}

async function responds(): Promise<boolean> {
  try {
    await anonymousApi.get(endpoints.configuration);
    return true;
  } catch {
    return false;
  }
}
