import { useSyncExternalStore } from 'react';
import { followTheme, setTheme, storedTheme, type Theme } from './theme-choice';

/** Returns the chosen theme. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  return [useSyncExternalStore(followTheme, storedTheme, storedTheme), setTheme];
}
