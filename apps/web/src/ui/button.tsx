import { useEffect, useRef, type ComponentProps, type MouseEvent } from 'react';
import { buttonVariants, type ButtonVariants } from './button-variants';
import { cn } from './cn';
import { Spinner } from './spinner';

export interface ButtonProps extends ComponentProps<'button'>, ButtonVariants {
  /**
   * Shows a spinner and disables the button. Afterwards a pressed button has the focus again, which
   * browsers take from it.
   */
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
  onClick,
  ...props
}: ButtonProps) {
  const pressed = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    if (pending || !pressed.current) return;
    if (document.activeElement === document.body) pressed.current.focus();
    pressed.current = null;
  }, [pending]);

  function press(event: MouseEvent<HTMLButtonElement>) {
    pressed.current = event.currentTarget;
    onClick?.(event);
  }

  return (
    <button
      type={type}
      disabled={disabled || pending}
      aria-busy={pending || undefined}
      className={cn(buttonVariants({ variant, size }), className)}
      onClick={press}
      {...props}
    >
      {pending && <Spinner />}
      {children}
    </button>
  );
}
