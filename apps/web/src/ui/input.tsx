import type { ComponentProps } from 'react';
import { cn } from './cn';
import { control } from './control';

/** Types whose text may be in any script. */
const proseTypes = new Set(['text', 'search']);

export function Input({ type = 'text', className, ...props }: ComponentProps<'input'>) {
  return (
    <input
      type={type}
      dir={proseTypes.has(type) ? 'auto' : undefined}
      className={cn(control, 'h-8 pointer-coarse:h-10', className)}
      {...props}
    />
  );
}
