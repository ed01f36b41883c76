import type { ReactNode } from 'react';
import { paths } from '@/paths';
import { LogoMark } from '@/ui/logo';
import { ThemeSwitch } from './theme-switch';

interface PageFrameProps {
  heading?: ReactNode;
  /** Buttons beside the heading. */
  actions?: ReactNode;
  children: ReactNode;
}

/** What every state of the page has around it. */
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
        <div className="flex items-center gap-2">
          {actions}
          <ThemeSwitch />
        </div>
      </header>
      <main className="grid flex-1 content-start gap-8">{children}</main>
      <footer className="mt-12 flex flex-wrap items-center justify-between gap-2 border-t border-line py-5 text-sm text-subtle">
        <a
          href={paths.landing}
          className="inline-flex items-center gap-1.5 rounded-sm hover:text-ink"
        >
          <LogoMark className="size-4!" />
          Powered by Allclear
        </a>
      </footer>
    </div>
  );
}
