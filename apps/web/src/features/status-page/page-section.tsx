import type { ReactNode } from 'react';
import { cn } from '@/ui/cn';

/** How many things that are over the server puts on the page, of each kind. */
export const pastShown = 50;

interface PageSectionProps {
  /** Its place in the page's address: what follows the #. */
  id: string;
  title: string;
  className?: string;
  children: ReactNode;
}

export function PageSection({ id, title, className, children }: PageSectionProps) {
  return (
    <section aria-labelledby={id} className={cn('grid min-w-0 content-start gap-3', className)}>
      <h2 id={id} className="text-xl font-semibold tracking-tight">
        {title}
      </h2>
      {children}
    </section>
  );
}

/** What is said of things that are left out. */
export function Omitted({ children }: { children: ReactNode }) {
  return <p className="text-sm text-subtle">{children}</p>;
}

/** What a section says when it has nothing to show. */
export function NothingHere({ children }: { children: ReactNode }) {
  return (
    <p className="rounded-lg border border-dashed border-line px-4 py-5 text-muted">{children}</p>
  );
}
