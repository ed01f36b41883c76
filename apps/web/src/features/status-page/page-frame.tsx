import type { ReactNode } from 'react';
import { publicPaths } from '@/public-paths';
import { setTheme } from '@/ui/theme-choice';
import { useShownTheme } from '@/ui/use-shown-theme';
import { PageIcon } from './page-parts';

interface PageFrameProps {
  heading?: ReactNode;
  /** Buttons beside the heading. */
  actions?: ReactNode;
  /** Canonical address of the page; undefined if it has none. */
  url?: string;
  children: ReactNode;
}

/** The frame of every state of the page. */
export function PageFrame({ heading, actions, url, children }: PageFrameProps) {
  // The root of an organisation's own domain is this page.
  const home = url === undefined || url.includes('/status/') ? publicPaths.landing : undefined;
  return (
    <div className="page">
      <header>
        <div>
          <p className="brand">
            <PageIcon name="logo" />
            Allclear Status
          </p>
          {heading}
        </div>
        <div>
          {actions}
          <ThemeSwitch />
        </div>
      </header>
      <main>{children}</main>
      <footer>
        <a href={home} className="brand">
          <PageIcon name="logo" />
          Powered by Allclear
        </a>
      </footer>
    </div>
  );
}

function ThemeSwitch() {
  const isLight = useShownTheme() === 'light';
  const label = isLight ? 'Switch to dark theme' : 'Switch to light theme';
  return (
    <button
      className="ghost"
      data-script="needed"
      aria-label={label}
      title={label}
      onClick={() => setTheme(isLight ? 'dark' : 'light')}
    >
      <PageIcon name={isLight ? 'moon' : 'sun'} />
    </button>
  );
}
