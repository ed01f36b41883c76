import type { ReactNode } from 'react';
import { cn } from '@/ui/cn';

interface SectionProps {
  /** The anchor in the navigation. */
  id: string;
  title: ReactNode;
  lead: ReactNode;
  className?: string;
  children: ReactNode;
}

/** A section of the landing page with its heading. */
export function Section({ id, title, lead, className, children }: SectionProps) {
  return (
    <section
      id={id}
      tabIndex={-1}
      aria-labelledby={`${id}-title`}
      className={cn('-scroll-mt-1 border-t border-line outline-none', className)}
    >
      <div className="mx-auto grid max-w-7xl grid-cols-1 gap-10 px-4 py-20 md:px-8 lg:py-28">
        <header className="grid max-w-2xl gap-3">
          <h2
            id={`${id}-title`}
            className="text-3xl font-semibold tracking-tight text-balance text-ink"
          >
            {title}
          </h2>
          <p className="text-lg text-pretty text-muted">{lead}</p>
        </header>
        {children}
      </div>
    </section>
  );
}
