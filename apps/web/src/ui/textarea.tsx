import type { ComponentProps } from 'react';
import { cn } from './cn';
import { control } from './control';

export function Textarea({ className, ...props }: ComponentProps<'textarea'>) {
  return (
    <textarea
      dir="auto"
      className={cn(control, 'min-h-[150px] resize-y py-2', className)}
      {...props}
    />
  );
}
