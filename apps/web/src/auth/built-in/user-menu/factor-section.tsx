import type { ReactNode } from 'react';

interface FactorSectionProps {
  title: string;
  description: ReactNode;
  /** The button beside the title. */
  action?: ReactNode;
  children?: ReactNode;
}

/** One kind of second factor. */
export function FactorSection({ title, description, action, children }: FactorSectionProps) {
  return (
    <section className="grid gap-3 py-4 first:pt-0 last:pb-0">
      <div className="flex flex-col items-start gap-3 sm:flex-row sm:justify-between sm:gap-4">
        <div className="grid min-w-0 gap-0.5">
          <h3 className="font-medium text-ink">{title}</h3>
          <p className="text-sm text-muted">{description}</p>
        </div>
        {action}
      </div>
      {children}
    </section>
  );
}
