import { useEffect, useRef } from 'react';
import { Outlet, useLocation } from 'react-router-dom';
import { SkipLink } from '@/ui/skip-link';
import { SidebarColumn } from './sidebar-column';
import { SidebarPanel } from './sidebar-panel';
import { TopBar } from './top-bar';
import { useSidebar } from './use-sidebar';

/** What surrounds every screen of an organisation. */
export function OrganisationLayout() {
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
          className="mx-auto w-full max-w-6xl flex-1 px-4 py-6 outline-none md:px-6"
        >
          <Outlet />
        </main>
      </div>
    </div>
  );
}

/** A new screen takes the focus, as a new page would: a screen reader begins to read there. */
function useFocusOnNavigation() {
  const main = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current !== pathname) main.current?.focus({ preventScroll: true });
    shown.current = pathname;
  }, [pathname]);
  return main;
}
