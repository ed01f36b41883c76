import type { ComponentProps } from 'react';
import { buttonVariants, type ButtonVariants } from './button-variants';
import { cn } from './cn';
import { Spinner } from './spinner';

export interface ButtonProps extends ComponentProps<'button'>, ButtonVariants {
  /** Shows a spinner and disables the button. */
  pending?: boolean;
}

export function Button({
  variant,
  size,
  pending = false,
  disabled = false,
  type = 'button',
  className,
  children,
  ...props
}: ButtonProps) {
  return (
    <button
      type={type}
      disabled={disabled || pending}
      aria-busy={pending || undefined}
      className={cn(buttonVariants({ variant, size }), className)}
      {...props}
    >
      {pending && <Spinner />}
      {children}
    </button>
  );
}
