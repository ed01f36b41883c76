import { cn } from './cn';

const base =
  'inline-flex shrink-0 items-center justify-center gap-2 rounded-md font-medium whitespace-nowrap transition-colors select-none disabled:opacity-50 aria-disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0';

const variants = {
  primary: 'bg-primary text-on-primary enabled:hover:bg-primary-hover [a]:hover:bg-primary-hover',
  secondary:
    'border border-line bg-raised text-ink shadow-low enabled:hover:bg-hover [a]:hover:bg-hover',
  ghost:
    'text-muted enabled:hover:bg-hover enabled:hover:text-ink [a]:hover:bg-hover [a]:hover:text-ink',
  danger: 'bg-danger text-on-danger enabled:hover:bg-danger-hover',
};

const sizes = {
  sm: 'h-7 px-2.5 text-sm pointer-coarse:h-10',
  md: 'h-8 px-3 text-base pointer-coarse:h-10',
  lg: 'h-10 px-4 text-lg pointer-coarse:h-11',
  icon: 'size-8 pointer-coarse:size-10',
};

export interface ButtonVariants {
  variant?: keyof typeof variants | undefined;
  size?: keyof typeof sizes | undefined;
}

/**
 * Classes of a button, also for links that look like one: `<Link className={buttonVariants()}>`.
 */
export function buttonVariants({
  variant = 'secondary',
  size = 'md',
}: ButtonVariants = {}): string {
  return cn(base, variants[variant], sizes[size]);
}
