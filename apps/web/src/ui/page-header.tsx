import type { ReactNode } from 'react';

interface PageHeaderProps {
  title: string;
  /** Beside the title: a badge, for example. */
  mark?: ReactNode;
  actions?: ReactNode;
}

/** What a screen is, and what can be done on it as a whole. */
export function PageHeader({ title, mark, actions }: PageHeaderProps) {
  return (
    <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
        <h1 className="text-2xl font-semibold text-ink">{title}</h1>
        {mark}
      </div>
      {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  );
}
