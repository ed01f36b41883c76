import { useEffect, useEffectEvent } from 'react';
import { toast } from './toast';

/** Shows an error and leaves a screen or dialog that could not be loaded. */
export function useLeaveOnError(failed: boolean, message: string, leave: () => void): void {
  const say = useEffectEvent(() => {
    toast.error(message);
    leave();
  });
  useEffect(() => {
    if (failed) say();
  }, [failed]);
}
