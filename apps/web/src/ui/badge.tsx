import type { ReactNode } from 'react';
import { cn } from './cn';
import type { StatusBadgeStyle } from './statuses';
import { tones, type Tone } from './tone';

interface BadgeProps {
  tone?: Tone;
  className?: string;
  children: ReactNode;
}

export function Badge({ tone = 'neutral', className, children }: BadgeProps) {
  return (
    <span
      data-tone={tone}
      className={cn(
        'inline-flex h-6 w-fit items-center gap-1.5 rounded-full border px-2 text-xs font-medium whitespace-nowrap',
        tones[tone].badge,
        className,
      )}
    >
      {children}
    </span>
  );
}

/** A status with its colour, icon and label: `<StatusBadge {...componentStatuses[status]} />`. */
export function StatusBadge({
  label,
  tone,
  icon: Icon,
  className,
}: StatusBadgeStyle & { className?: string }) {
  return (
    <Badge tone={tone} {...(className && { className })}>
      <Icon aria-hidden className="size-3.5 shrink-0" />
      {label}
    </Badge>
  );
}
