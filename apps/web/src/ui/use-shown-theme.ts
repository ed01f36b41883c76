import { useSyncExternalStore } from 'react';
import { followTheme } from './theme-choice';

/** Returns the theme that is shown. */
export function useShownTheme(): 'dark' | 'light' {
  return useSyncExternalStore(followTheme, shownTheme, shownTheme);
}

function shownTheme(): 'dark' | 'light' {
  return document.documentElement.dataset.theme === 'light' ? 'light' : 'dark';
}
