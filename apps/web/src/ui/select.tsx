import { ChevronDown } from 'lucide-react';
import type { ComponentProps } from 'react';
import { cn } from './cn';
import { control } from './control';

interface SelectProps extends ComponentProps<'select'> {
  /** Keeps its value and the focus, unlike `disabled`. */
  readOnly?: boolean;
}

/** The native select, for phones and screen readers. */
export function Select({ className, readOnly = false, onChange, ...props }: SelectProps) {
  return (
    <span className={cn('relative inline-flex w-full', className)}>
      <select
        className={cn(control, 'h-8 appearance-none pr-8 pointer-coarse:h-10')}
        {...props}
        aria-readonly={readOnly}
        onChange={(event) => !readOnly && onChange?.(event)}
      />
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-2.5 size-4 -translate-y-1/2 text-subtle"
      />
    </span>
  );
}
