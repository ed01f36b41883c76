import { CircleCheck, Info, OctagonX, TriangleAlert, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from './cn';
import { tones, type Tone } from './tone';

const kinds = {
  info: { tone: 'maintenance', icon: Info },
  success: { tone: 'operational', icon: CircleCheck },
  warning: { tone: 'degraded', icon: TriangleAlert },
  error: { tone: 'major', icon: OctagonX },
} as const satisfies Record<string, { tone: Tone; icon: LucideIcon }>;

interface AlertProps {
  kind?: keyof typeof kinds;
  title?: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
  className?: string;
}

export function Alert({ kind = 'info', title, children, action, className }: AlertProps) {
  const { tone, icon: Icon } = kinds[kind];
  return (
    <div
      role={kind === 'error' ? 'alert' : 'status'}
      data-tone={tone}
      className={cn(
        'flex flex-wrap items-start gap-3 rounded-lg border p-3',
        tones[tone].badge,
        className,
      )}
    >
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-40 flex-1">
        {title && <p className="font-semibold">{title}</p>}
        {children && <div className="text-ink">{children}</div>}
      </div>
      {action}
    </div>
  );
}
