import { PanelLeft } from 'lucide-react';
import { useIdentity } from '@/auth/auth';
import { IconButton } from '@/ui/icon-button';
import { ThemeMenu } from '@/ui/theme-menu';
import { LiveStatus } from './live-status';
import type { Sidebar } from './use-sidebar';

export function TopBar({ sidebar }: { sidebar: Sidebar }) {
  const { OrganisationSwitcher } = useIdentity();
  return (
    <header
      data-print="hidden"
      className="sticky top-0 z-30 flex h-12 items-center gap-2 border-b border-line bg-canvas px-2 md:px-4"
    >
      <IconButton
        label="Toggle sidebar (Ctrl+B)"
        icon={<PanelLeft aria-hidden />}
        aria-expanded={sidebar.isMobile ? sidebar.isOpen : sidebar.isExpanded}
        onClick={sidebar.toggle}
      />
      <div className="ml-auto flex min-w-0 items-center gap-2">
        <LiveStatus />
        <ThemeMenu />
        <OrganisationSwitcher />
      </div>
    </header>
  );
}
