import { useAuth, useIdentity } from '@/auth/auth';
import { mainEntries, outsideEntries } from './nav-entries';
import { NavLink } from './nav-link';

interface SidebarContentProps {
  iconOnly: boolean;
  onFollow: () => void;
}

/** Where one can go, and who one is. */
export function SidebarContent({ iconOnly, onFollow }: SidebarContentProps) {
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
            {outsideEntries(organisation.id).map((entry) => (
              <li key={entry.path}>
                <NavLink entry={entry} iconOnly={iconOnly} outside onFollow={onFollow} />
              </li>
            ))}
          </ul>
        )}
      </nav>
      <div className="border-t border-line p-1.5">
        <UserMenu />
      </div>
    </>
  );
}
