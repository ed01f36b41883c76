import { PanelLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { Outlet } from 'react-router-dom';
import { useIdentity } from '@/auth/auth';
import { IconButton } from '@/ui/icon-button';
import { SkipLink } from '@/ui/skip-link';
import { ThemeMenu } from '@/ui/theme-menu';
import { useFocusOnNavigation } from '@/ui/use-focus-on-navigation';
import { LiveStatus, NotLiveBar } from './live-status';
import { SidebarColumn, SidebarPanel } from './sidebar';
import { type Sidebar, useSidebar } from './use-sidebar';

interface OrganisationLayoutProps {
  /** Shown instead of the screen of the route. */
  children?: ReactNode;
}

/** The frame of every screen of an organisation. */
export function OrganisationLayout({ children = <Outlet /> }: OrganisationLayoutProps) {
  const sidebar = useSidebar();
  const main = useFocusOnNavigation();
  return (
    <div className="flex min-h-dvh">
      <SkipLink to={main} />
      {sidebar.isMobile ? (
        <SidebarPanel isOpen={sidebar.isOpen} onOpenChange={sidebar.setOpen} />
      ) : (
        <SidebarColumn isExpanded={sidebar.isExpanded} />
      )}
      <div className="flex min-w-0 flex-1 flex-col">
        <TopBar sidebar={sidebar} />
        <main
          ref={main}
          tabIndex={-1}
          // The room at the end lets a form's buttons scroll above a toast.
          className="mx-auto w-full max-w-6xl flex-1 px-4 pt-6 pb-24 outline-none md:px-6"
        >
          <NotLiveBar />
          {children}
        </main>
      </div>
    </div>
  );
}

function TopBar({ sidebar }: { sidebar: Sidebar }) {
  const { OrganisationSwitcher } = useIdentity();
  return (
    <header
      data-print="hidden"
      data-top-bar
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
