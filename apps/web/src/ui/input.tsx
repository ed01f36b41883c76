import type { ComponentProps } from 'react';
import { cn } from './cn';
import { control } from './control';

export function Input({ className, ...props }: ComponentProps<'input'>) {
  return <input className={cn(control, 'h-8 pointer-coarse:h-10', className)} {...props} />;
}
