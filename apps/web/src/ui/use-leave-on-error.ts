import { useEffect, useEffectEvent } from 'react';
import { toast } from './toast';

/** Where a screen or dialog has nothing to show because of an error: says so, and leaves. */
export function useLeaveOnError(failed: boolean, message: string, leave: () => void): void {
  const say = useEffectEvent(() => {
    toast.error(message);
    leave();
  });
  useEffect(() => {
    if (failed) say();
  }, [failed]);
}
