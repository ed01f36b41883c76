import { Menu } from 'lucide-react';
import { Link } from 'react-router-dom';
import { useAuth } from '@/auth/auth';
import { StartLink } from '@/auth/start-link';
import { paths } from '@/paths';
import { Button } from '@/ui/button';
import { buttonVariants } from '@/ui/button-variants';
import { DropdownMenu, MenuItem } from '@/ui/dropdown-menu';
import { Logo } from '@/ui/logo';
import { ThemeMenu } from '@/ui/theme-menu';
import type { SiteEntry } from './entries';

export function SiteHeader({ entries }: { entries: readonly SiteEntry[] }) {
  return (
    <header
      data-print="hidden"
      data-top-bar
      className="sticky top-0 z-30 border-b border-line bg-canvas/85 backdrop-blur-md"
    >
      <div className="mx-auto flex h-15 max-w-7xl items-center gap-2 px-4 md:px-8">
        <Link
          to={paths.landing}
          aria-label="Allclear, home"
          className="mr-2 flex rounded-md lg:mr-6"
        >
          <Logo />
        </Link>
        <nav aria-label="Main" className="hidden md:block">
          <ul className="flex items-center lg:gap-1">
            {entries.map(({ label, to }) => (
              <li key={label}>
                <Link
                  to={to}
                  className="inline-flex h-9 items-center rounded-md px-2.5 text-muted transition-colors hover:bg-hover hover:text-ink"
                >
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="ml-auto flex items-center gap-1 sm:gap-2">
          <ThemeMenu />
          <AccountLinks />
          <NarrowMenu entries={entries} />
        </div>
      </div>
    </header>
  );
}

function AccountLinks() {
  const { state } = useAuth();
  if (state.status === 'signed-in') {
    return (
      <Link to={paths.dashboard} className={buttonVariants({ variant: 'primary' })}>
        Dashboard
      </Link>
    );
  }
  return (
    <>
      <Link to={paths.login} className={buttonVariants({ variant: 'ghost' })}>
        Login
      </Link>
      <StartLink variant="primary" className="max-[22rem]:hidden">
        Get started
      </StartLink>
    </>
  );
}

/** The navigation on narrow windows. */
function NarrowMenu({ entries }: { entries: readonly SiteEntry[] }) {
  return (
    <div className="md:hidden">
      <DropdownMenu
        align="end"
        trigger={
          <Button variant="ghost" size="icon" aria-label="Menu">
            <Menu aria-hidden />
          </Button>
        }
      >
        {entries.map(({ label, to }) => (
          <MenuItem key={label} asChild>
            <Link to={to}>{label}</Link>
          </MenuItem>
        ))}
      </DropdownMenu>
    </div>
  );
}
