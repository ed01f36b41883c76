import { cn } from './cn';

/** The logo without its name, in the colour of the text. */
export function LogoMark({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" fill="none" aria-hidden className={cn('size-6 shrink-0', className)}>
      <path
        d="M27.2 12.1A12 12 0 1 1 21.6 5.4"
        stroke="currentColor"
        strokeWidth="3"
        strokeLinecap="round"
      />
      <path
        d="m10.4 16.4 4.4 4.4L27.4 7.2"
        className="stroke-operational-solid"
        strokeWidth="3.4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

export function Logo({ className }: { className?: string }) {
  return (
    <span className={cn('inline-flex items-center gap-2 font-semibold text-ink', className)}>
      <LogoMark />
      <span className="text-lg tracking-tight">Allclear</span>
    </span>
  );
}
