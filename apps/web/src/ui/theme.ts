import { useSyncExternalStore } from 'react';
import { followTheme, setTheme, shownTheme, storedTheme, type Theme } from './theme-choice';

/** Returns the chosen theme. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  return [useSyncExternalStore(followTheme, storedTheme, storedTheme), setTheme];
}

/** Returns the theme that is shown. */
export function useShownTheme(): 'dark' | 'light' {
  return useSyncExternalStore(followTheme, () => shownTheme(storedTheme()));
}
