import type { ReactNode } from 'react';

interface PageHeaderProps {
  title: string;
  /** Content beside the title, such as a badge. */
  mark?: ReactNode;
  actions?: ReactNode;
}

/** The title of a screen and its actions. */
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
