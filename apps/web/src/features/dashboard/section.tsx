import { useId, type ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { Permitted } from '@/auth/permitted';
import { Card } from '@/ui/card';
import { cn } from '@/ui/cn';

interface SectionProps {
  title: string;
  /** Number of items beside the title. */
  count?: number;
  /** The screen behind the section. */
  viewAll?: string | undefined;
  /** Leads to where an item is added. */
  add?: { to: string; text: string } | undefined;
  children: ReactNode;
}

/** A card of the dashboard with a link to the screen behind it. */
export function Section({ title, count, viewAll, add, children }: SectionProps) {
  const id = useId();
  return (
    <Card aria-labelledby={id} className="flex flex-col">
      <header className="flex flex-wrap items-baseline justify-between gap-x-4 border-b border-line px-4 py-3">
        <h2 id={id} className="text-lg font-semibold text-ink">
          {title}{' '}
          {count !== undefined && count > 0 && (
            <span className="ml-1 text-base font-normal text-muted tabular-nums">{count}</span>
          )}
        </h2>
        <span className="flex flex-wrap gap-x-4">
          {add && (
            <Permitted>
              <Link to={add.to} className={cn(linkClass, 'font-medium text-ink')}>
                {add.text}
              </Link>
            </Permitted>
          )}
          {viewAll !== undefined && (
            <Link
              to={viewAll}
              aria-describedby={id}
              className={cn(linkClass, 'text-muted hover:text-ink')}
            >
              View all
            </Link>
          )}
        </span>
      </header>
      {children}
    </Card>
  );
}

const linkClass =
  'rounded-sm text-sm underline-offset-4 hover:underline pointer-coarse:-my-2.5 pointer-coarse:py-2.5';

/** What a section says if it has nothing to list, with a link to where something can be done. */
export function EmptySection({
  children,
  to,
  action,
}: {
  children: ReactNode;
  to: string;
  action: string;
}) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-5 text-muted">
      <p>{children}</p>
      <Permitted>
        <Link to={to} className="rounded-sm font-medium text-ink underline underline-offset-4">
          {action}
        </Link>
      </Permitted>
    </div>
  );
}

export const listClass = 'divide-y divide-line';
export const rowClass = 'flex flex-wrap items-center gap-x-3 gap-y-1.5 px-4 py-3';

/** The name of an item, which leads to its screen. */
export function ItemLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link
      to={to}
      dir="auto"
      className="block min-w-0 rounded-sm font-medium text-ink underline-offset-4 hover:underline pointer-coarse:-my-2.5 pointer-coarse:py-2.5"
    >
      <span className="line-clamp-2 wrap-anywhere">{children}</span>
    </Link>
  );
}
