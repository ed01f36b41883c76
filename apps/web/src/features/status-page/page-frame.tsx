import Moon from 'lucide-react/icons/moon';
import Sun from 'lucide-react/icons/sun';
import type { ReactNode } from 'react';
import { publicPaths } from '@/public-paths';
import { Button } from '@/ui/button';
import { LogoMark } from '@/ui/logo';
import { useTheme } from '@/ui/theme';

interface PageFrameProps {
  heading?: ReactNode;
  /** Buttons beside the heading. */
  actions?: ReactNode;
  children: ReactNode;
}

/** The frame of every state of the page. */
export function PageFrame({ heading, actions, children }: PageFrameProps) {
  return (
    <div
      data-status-page
      className="mx-auto flex min-h-dvh w-full max-w-3xl flex-col px-4 sm:px-6 xl:max-w-6xl print:max-w-none"
    >
      <header className="flex flex-wrap items-end justify-between gap-x-4 gap-y-3 pt-6 pb-5 sm:pt-10 sm:pb-6">
        <div className="grid min-w-0 flex-1 basis-48 gap-1.5">
          <p className="inline-flex items-center gap-1.5 text-sm text-subtle">
            <LogoMark className="size-4!" />
            Allclear Status
          </p>
          {heading}
        </div>
        <div className="flex flex-wrap items-center gap-2">
          {actions}
          <ThemeSwitch />
        </div>
      </header>
      <main className="grid flex-1 content-start gap-8">{children}</main>
      <footer className="mt-12 flex flex-wrap items-center justify-between gap-2 border-t border-line py-5 text-sm text-subtle">
        <a
          href={publicPaths.landing}
          className="inline-flex items-center gap-1.5 rounded-sm hover:text-ink"
        >
          <LogoMark className="size-4!" />
          Powered by Allclear
        </a>
      </footer>
    </div>
  );
}

function ThemeSwitch() {
  const [theme, setTheme] = useTheme();
  const isLight =
    theme === 'light' || (theme === 'system' && document.documentElement.dataset.theme === 'light');
  const label = isLight ? 'Switch to dark theme' : 'Switch to light theme';
  const Icon = isLight ? Moon : Sun;
  return (
    <Button
      variant="ghost"
      size="icon"
      data-script="needed"
      aria-label={label}
      title={label}
      onClick={() => setTheme(isLight ? 'dark' : 'light')}
    >
      <Icon aria-hidden />
    </Button>
  );
}
