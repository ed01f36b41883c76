import type { ReactNode } from 'react';

interface PageHeaderProps {
  title: string;
  actions?: ReactNode;
}

/**
 * The title of a screen and its actions. The most important one is the last, which phones show
 * beside the title.
 */
export function PageHeader({ title, actions }: PageHeaderProps) {
  return (
    <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 max-sm:justify-start max-sm:gap-x-2">
      <h1 className="min-w-0 text-2xl font-semibold text-ink max-sm:grow">{title}</h1>
      {actions && (
        <div className="flex flex-wrap items-center gap-2 max-sm:contents max-sm:[&>*]:order-2 max-sm:[&>:last-child]:order-1">
          {actions}
        </div>
      )}
    </header>
  );
}
