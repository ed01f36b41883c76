import { Link } from 'react-router-dom';
import { paths } from '@/paths';
import { cn } from '@/ui/cn';
import { LogoMark } from '@/ui/logo';
import { SidebarContent } from './sidebar-content';

/** The sidebar beside the page: 16rem wide, or 3rem with icons alone. */
export function SidebarColumn({ isExpanded }: { isExpanded: boolean }) {
  return (
    <aside
      aria-label="Sidebar"
      data-print="hidden"
      className={cn(
        'sticky top-0 flex h-dvh shrink-0 flex-col overflow-hidden border-r border-line bg-surface transition-[width]',
        isExpanded ? 'w-64' : 'w-12',
      )}
    >
      <Link
        to={paths.dashboard}
        className="m-1.5 flex h-9 shrink-0 items-center gap-2 rounded-md px-1.5 text-lg font-semibold tracking-tight text-ink"
      >
        <LogoMark className="size-6" />
        <span className={isExpanded ? 'truncate' : 'sr-only'}>Allclear</span>
      </Link>
      <SidebarContent iconOnly={!isExpanded} onFollow={() => undefined} />
    </aside>
  );
}
