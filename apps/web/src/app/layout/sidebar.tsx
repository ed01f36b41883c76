import { X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { Link, useLocation } from 'react-router-dom';
import { useAuth, useIdentity } from '@/auth/auth';
import { paths } from '@/paths';
import { buttonVariants } from '@/ui/button-variants';
import { cn } from '@/ui/cn';
import { Logo, LogoMark } from '@/ui/logo';
import { overlay } from '@/ui/overlay';
import { useReturnFocus } from '@/ui/return-focus';
import { Tooltip } from '@/ui/tooltip';
import { mainEntries, type NavEntry, secondEntries } from './nav-entries';

interface SidebarContentProps {
  iconOnly: boolean;
  onFollow: () => void;
}

/** The navigation and the user menu. */
function SidebarContent({ iconOnly, onFollow }: SidebarContentProps) {
  const { state } = useAuth();
  const { UserMenu } = useIdentity();
  const organisation = state.status === 'signed-in' ? state.organisation : null;
  return (
    <>
      <nav
        aria-label="Main"
        className="scroll-area grid min-h-0 flex-1 content-between gap-6 overflow-y-auto p-2"
      >
        <ul className="grid gap-0.5">
          {mainEntries.map((entry) => (
            <li key={entry.path}>
              <NavLink entry={entry} iconOnly={iconOnly} onFollow={onFollow} />
            </li>
          ))}
        </ul>
        {organisation && (
          <ul className="grid gap-0.5">
            {secondEntries(organisation.id).map((entry) => (
              <li key={entry.path}>
                <NavLink entry={entry} iconOnly={iconOnly} onFollow={onFollow} />
              </li>
            ))}
          </ul>
        )}
      </nav>
      <div className="border-t border-line p-1.5">
        <UserMenu onDone={onFollow} />
      </div>
    </>
  );
}

/** The sidebar beside the page: 16rem wide, or 3rem with icons only. */
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

interface SidebarPanelProps {
  isOpen: boolean;
  onOpenChange: (open: boolean) => void;
}

/** The sidebar over the page, on narrow windows. */
export function SidebarPanel({ isOpen, onOpenChange }: SidebarPanelProps) {
  const { onOpenAutoFocus, onCloseAutoFocus } = useReturnFocus();
  return (
    <Dialog.Root open={isOpen} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className={overlay} />
        <Dialog.Content
          aria-describedby={undefined}
          onOpenAutoFocus={onOpenAutoFocus}
          onCloseAutoFocus={(event) => {
            // The screen of a followed link may have taken the focus.
            if (document.activeElement === document.body) onCloseAutoFocus(event);
          }}
          className="fixed inset-y-0 left-0 z-50 flex w-72 max-w-[85vw] [animation:slide_var(--motion-slow)_var(--ease)] flex-col border-r border-line bg-surface shadow-high focus:outline-none"
        >
          <Dialog.Title className="sr-only">Navigation</Dialog.Title>
          <div className="flex h-12 shrink-0 items-center justify-between px-3">
            <Logo />
            <Dialog.Close
              aria-label="Close"
              className={buttonVariants({ variant: 'ghost', size: 'icon' })}
            >
              <X aria-hidden />
            </Dialog.Close>
          </div>
          <SidebarContent iconOnly={false} onFollow={() => onOpenChange(false)} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface NavLinkProps {
  entry: NavEntry;
  /** Shows the icon only, with the label as its tooltip. */
  iconOnly: boolean;
  onFollow: () => void;
}

function NavLink({ entry, iconOnly, onFollow }: NavLinkProps) {
  const { pathname } = useLocation();
  const outside = entry.outside ?? false;
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
