export type Theme = 'dark' | 'light' | 'system';

const storageKey = 'allclear:theme';
const changed = 'allclear:theme-changed';
/** The canvas colours of src/styles/tokens.css, for the browser's own interface. */
const canvasColours = { dark: '#0b0f14', light: '#f6f8fa' } as const;
const prefersLight = '(prefers-color-scheme: light)';

/**
 * The last choice, which lasts as long as the page if storage is forbidden. At first the one that
 * another script has applied.
 */
let chosen: Theme = document.documentElement.dataset.theme === 'light' ? 'light' : 'dark';

/** Returns the chosen theme, which public/theme.js has applied before the first paint. */
export function storedTheme(): Theme {
  try {
    const value = localStorage.getItem(storageKey);
    return value === 'light' || value === 'system' ? value : 'dark';
  } catch {
    return chosen;
  }
}

export function setTheme(theme: Theme): void {
  chosen = theme;
  try {
    localStorage.setItem(storageKey, theme);
  } catch {
    // Storage may be forbidden.
  }
  applyTheme(theme);
  dispatchEvent(new Event(changed));
}

function applyTheme(theme: Theme): void {
  const light = theme === 'light' || (theme === 'system' && matchMedia(prefersLight).matches);
  const name = light ? 'light' : 'dark';
  document.documentElement.dataset.theme = name;
  const canvas = document.querySelector('meta[name=theme-color]');
  canvas?.setAttribute('content', canvasColours[name]);
}

/**
 * Calls `notify` after each change of the theme, until the returned function is called. Follows
 * changes in other tabs, and those of the system if the theme is "system".
 */
export function followTheme(notify: () => void): () => void {
  const follow = () => {
    applyTheme(storedTheme());
    notify();
  };
  const left = new AbortController();
  const { signal } = left;
  addEventListener('storage', follow, { signal });
  matchMedia(prefersLight).addEventListener('change', follow, { signal });
  addEventListener(changed, notify, { signal });
  return () => left.abort();
}
