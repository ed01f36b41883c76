import type { ComponentProps, ReactNode } from 'react';
import { cn } from './cn';

export function Card({ className, ...props }: ComponentProps<'section'>) {
  return (
    <section
      tabIndex={-1}
      className={cn('min-w-0 rounded-lg border border-line bg-surface shadow-low', className)}
      {...props}
    />
  );
}

interface CardHeaderProps {
  title: ReactNode;
  /** Level of the heading. */
  level?: 1 | 2;
  description?: ReactNode;
  actions?: ReactNode;
}

export function CardHeader({ title, level = 2, description, actions }: CardHeaderProps) {
  const Heading = `h${level}` as const;
  return (
    <header
      className={cn(
        'flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b border-line px-4 py-3',
        level === 2 && 'sm:flex-nowrap',
      )}
    >
      <div className="min-w-0">
        <Heading className={cn('font-semibold text-ink', level === 1 ? 'text-xl' : 'text-lg')}>
          {title}
        </Heading>
        {description && <p className="text-sm text-muted">{description}</p>}
      </div>
      {actions && (
        // As high as a button, also before the actions are known.
        <div
          className={cn(
            'flex min-h-7 flex-wrap items-center gap-2 max-sm:has-[>*+*]:w-full pointer-coarse:min-h-10',
            level === 2 && 'sm:shrink-0',
          )}
        >
          {actions}
        </div>
      )}
    </header>
  );
}

export function CardBody({ className, ...props }: ComponentProps<'div'>) {
  return <div className={cn('p-4', className)} {...props} />;
}
