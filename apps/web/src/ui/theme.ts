import { useSyncExternalStore } from 'react';

export type Theme = 'dark' | 'light' | 'system';

const storageKey = 'allclear:theme';
const changed = 'allclear:theme-changed';
/** The canvas of src/styles/tokens.css, for the browser's own frame. */
const canvasColours = { dark: '#0b0f14', light: '#f6f8fa' } as const;
const prefersLight = '(prefers-color-scheme: light)';

/** The stored choice; public/theme.js has applied it before the first paint. */
export function storedTheme(): Theme {
  try {
    const value = localStorage.getItem(storageKey);
    return value === 'light' || value === 'system' ? value : 'dark';
  } catch {
    return 'dark';
  }
}

export function setTheme(theme: Theme): void {
  try {
    localStorage.setItem(storageKey, theme);
  } catch {
    // Storage can be forbidden; the choice then lasts as long as the page.
  }
  applyTheme(theme);
  window.dispatchEvent(new Event(changed));
}

/** The choice. A page that comes from the server begins with the default, as the server wrote it. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  return [useSyncExternalStore(subscribe, storedTheme, () => 'dark'), setTheme];
}

/** What the choice comes to: what is seen now. */
export function useShownTheme(): 'dark' | 'light' {
  return useSyncExternalStore(subscribe, () => shown(storedTheme()));
}

function shown(theme: Theme): 'dark' | 'light' {
  const light = theme === 'light' || (theme === 'system' && matchMedia(prefersLight).matches);
  return light ? 'light' : 'dark';
}

function applyTheme(theme: Theme): void {
  const name = shown(theme);
  document.documentElement.dataset.theme = name;
  const canvas = document.querySelector('meta[name=theme-color]');
  canvas?.setAttribute('content', canvasColours[name]);
}

/** Follows another tab's choice, and the system's while the choice is "system". */
function subscribe(notify: () => void): () => void {
  const follow = () => {
    applyTheme(storedTheme());
    notify();
  };
  const media = matchMedia(prefersLight);
  window.addEventListener('storage', follow);
  media.addEventListener('change', follow);
  window.addEventListener(changed, notify);
  return () => {
    window.removeEventListener('storage', follow);
    media.removeEventListener('change', follow);
    window.removeEventListener(changed, notify);
  };
}
