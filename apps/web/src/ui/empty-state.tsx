import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  icon: LucideIcon;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}

export function EmptyState({ icon: Icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="grid justify-items-center gap-3 px-6 py-12 text-center">
      <span className="grid size-10 place-items-center rounded-lg border border-line bg-raised text-muted">
        <Icon aria-hidden className="size-5" />
      </span>
      <div className="grid gap-1">
        <p className="font-semibold text-ink">{title}</p>
        {children && <div className="max-w-sm text-sm text-muted">{children}</div>}
      </div>
      {action}
    </div>
  );
}
