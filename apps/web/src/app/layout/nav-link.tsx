import { Link, useLocation } from 'react-router-dom';
import { cn } from '@/ui/cn';
import { Tooltip } from '@/ui/tooltip';
import type { NavEntry } from './nav-entries';

interface NavLinkProps {
  entry: NavEntry;
  /** The icon alone is seen; the label is its tooltip. */
  iconOnly: boolean;
  /** The server answers it: the browser loads a new page. */
  outside?: boolean;
  onFollow: () => void;
}

export function NavLink({ entry, iconOnly, outside = false, onFollow }: NavLinkProps) {
  const { pathname } = useLocation();
  const isCurrent = !outside && pathname.startsWith(entry.path);
  return (
    <Tooltip content={entry.label} side="right" disabled={!iconOnly}>
      <Link
        to={entry.path}
        reloadDocument={outside}
        aria-current={isCurrent ? 'page' : undefined}
        onClick={onFollow}
        className={cn(
          'flex h-8 items-center gap-2.5 rounded-md px-2 transition-colors pointer-coarse:h-11',
          isCurrent
            ? 'bg-selected font-medium text-ink [&_svg]:text-accent'
            : 'text-muted hover:bg-hover hover:text-ink',
        )}
      >
        <entry.icon aria-hidden className="size-4 shrink-0" />
        <span className={iconOnly ? 'sr-only' : 'truncate'}>{entry.label}</span>
      </Link>
    </Tooltip>
  );
}
