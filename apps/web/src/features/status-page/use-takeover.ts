import { useSyncExternalStore } from 'react';

const never = () => () => undefined;

/**
 * Whether the script has taken the page over. False only while it does: what it shows then is what the server wrote,
 * which knows neither the reader's time zone nor their clock.
 */
export function useTakeover(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
