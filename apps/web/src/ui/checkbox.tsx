import { Check, Minus } from 'lucide-react';
import { useEffect, useRef, type ComponentProps } from 'react';
import { cn } from './cn';

interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type' | 'ref'> {
  /** Some, but not all, of what this box stands for is chosen. */
  indeterminate?: boolean;
}

export function Checkbox({ indeterminate = false, className, ...props }: CheckboxProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current) input.current.indeterminate = indeterminate;
  }, [indeterminate]);

  return (
    <span className={cn('relative grid size-4 shrink-0 place-items-center', className)}>
      <input
        ref={input}
        type="checkbox"
        className="peer size-4 appearance-none rounded-sm border border-line-strong bg-canvas before:absolute before:-inset-2 before:content-[''] checked:border-primary checked:bg-primary indeterminate:border-primary indeterminate:bg-primary disabled:opacity-50 forced-colors:appearance-auto"
        {...props}
      />
      <Check
        aria-hidden
        className="pointer-events-none absolute hidden size-3 text-on-primary peer-checked:block peer-indeterminate:hidden forced-colors:hidden!"
        strokeWidth={3}
      />
      <Minus
        aria-hidden
        className="pointer-events-none absolute hidden size-3 text-on-primary peer-indeterminate:block forced-colors:hidden!"
        strokeWidth={3}
      />
    </span>
  );
}
