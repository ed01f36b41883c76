import { moon } from 'virtual:icon-symbols';
import { followTheme, setTheme } from '@/ui/theme-choice';

/** Switches the theme, as page-frame.tsx does, until `signal` is aborted. */
export function followThemeSwitch(page: Document, signal: AbortSignal): void {
  const button = page.querySelector<HTMLElement>('.page > header .ghost');
  if (!button) return;
  const isLight = () => page.documentElement.dataset.theme === 'light';
  const show = () => {
    const label = isLight() ? 'Switch to dark theme' : 'Switch to light theme';
    button.setAttribute('aria-label', label);
    button.title = label;
    button.querySelector('use')?.setAttribute('href', isLight() ? '#moon' : '#sun');
  };
  // The server draws the dark theme, without this icon.
  page.querySelector('body > svg[hidden]')?.insertAdjacentHTML('beforeend', moon);
  show();
  signal.addEventListener('abort', followTheme(show));
  page.addEventListener(
    'click',
    (event) => {
      if (!(event.target instanceof Node && button.contains(event.target))) return;
      event.stopPropagation();
      setTheme(isLight() ? 'dark' : 'light');
    },
    { capture: true, signal },
  );
}
