import type { ReactNode } from 'react';
import { cn } from './cn';

interface ScrollRegionProps {
  /** Accessible name. */
  label: string;
  /** Its class, which limits its height. */
  className: string;
  children: ReactNode;
}

/** A part of a dialog that scrolls by itself. */
export function ScrollRegion({ label, className, children }: ScrollRegionProps) {
  return (
    <section
      aria-label={label}
      // The keyboard scrolls what has the focus.
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      className={cn('min-w-0 overflow-auto rounded-md border border-line p-3', className)}
    >
      {children}
    </section>
  );
}
