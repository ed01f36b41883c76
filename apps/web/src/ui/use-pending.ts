import { useCallback, useRef, useState } from 'react';

/** Runs an action, unless an earlier one still runs. The action shows its own failure. */
type Run = (action: () => Promise<unknown>) => void;

/**
 * Returns whether an action runs, for the `pending` of its button, and a function that runs one.
 */
export function usePending(): [isPending: boolean, run: Run] {
  const [isPending, setPending] = useState(false);
  // A second press may come before the button is disabled.
  const isRunning = useRef(false);
  const run = useCallback<Run>((action) => {
    if (isRunning.current) return;
    isRunning.current = true;
    setPending(true);
    void action().finally(() => {
      isRunning.current = false;
      setPending(false);
    });
  }, []);
  return [isPending, run];
}
