import { cn } from './cn';

/** A placeholder for loading content. The parent element sets `aria-busy`. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span aria-hidden className={cn('block h-4 animate-pulse rounded-sm bg-hover', className)} />
  );
}
