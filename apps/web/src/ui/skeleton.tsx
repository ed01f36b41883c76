import { cn } from './cn';

/** Holds the place of what is loading. The surroundings say that they are busy (`aria-busy`). */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span aria-hidden className={cn('block h-4 animate-pulse rounded-sm bg-hover', className)} />
  );
}
