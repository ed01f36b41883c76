import { ChevronsUpDown, LogOut, UserRound, UsersRound } from 'lucide-react';
import { useRef } from 'react';
import { useNavigate } from 'react-router-dom';
import { useConfiguration } from '@/api/configuration';
import { withToast } from '@/auth/built-in/form/with-toast';
import { useSession, useSignedIn } from '@/auth/built-in/session-context';
import { paths } from '@/paths';
import { Avatar } from '@/ui/avatar';
import { DropdownMenu, MenuItem, MenuLabel, MenuSeparator } from '@/ui/dropdown-menu';
import { useConfirmLeave } from '@/ui/use-confirm-leave';
import { useOpen } from '@/ui/use-open';
import { ProfileDialog } from './profile-dialog';

/** The user's name and personal settings. Without room for the name it shows the initials. */
export function UserMenu({ onDone }: { onDone?: () => void }) {
  const session = useSignedIn();
  const { signOut } = useSession();
  const { signUp } = useConfiguration();
  const navigate = useNavigate();
  const { leave, question } = useConfirmLeave();
  const trigger = useRef<HTMLButtonElement>(null);
  const [profileOpen, setProfileOpen] = useOpen();
  if (session === null) return null;
  const { user, organisation } = session;
  const administersWaitlist = user.administrator && signUp === 'waitlist' && organisation !== null;

  async function toWaitlist() {
    await navigate(paths.waitlist);
    onDone?.();
  }

  /** The dialog is a part of the panel around the menu, so both close together. */
  function changeProfile(open: boolean) {
    setProfileOpen(open);
    if (!open) onDone?.();
  }

  return (
    <div className="@container min-w-0">
      <DropdownMenu
        side="top"
        className="w-56"
        trigger={
          <button
            ref={trigger}
            type="button"
            aria-label={`Account of ${user.name}`}
            className="flex h-10 w-full min-w-0 items-center justify-center gap-2 rounded-md text-left hover:bg-hover data-[state=open]:bg-hover @min-[6rem]:justify-start @min-[6rem]:px-1.5"
          >
            <Avatar name={user.name} />
            <span
              dir="auto"
              className="hidden min-w-0 flex-1 truncate font-medium text-ink @min-[6rem]:block"
            >
              {user.name}
            </span>
            <ChevronsUpDown
              aria-hidden
              className="hidden size-4 shrink-0 text-subtle @min-[6rem]:block"
            />
          </button>
        }
      >
        <MenuLabel>
          <span className="block truncate">{user.email}</span>
        </MenuLabel>
        <MenuItem icon={UserRound} onSelect={() => setProfileOpen(true)}>
          Profile
        </MenuItem>
        {administersWaitlist && (
          <MenuItem icon={UsersRound} onSelect={() => void toWaitlist()}>
            Waitlist
          </MenuItem>
        )}
        <MenuSeparator />
        <MenuItem icon={LogOut} onSelect={() => leave(() => void withToast(signOut))}>
          Sign out
        </MenuItem>
      </DropdownMenu>
      <ProfileDialog
        user={user}
        open={profileOpen}
        onOpenChange={changeProfile}
        returnTo={trigger}
      />
      {question}
    </div>
  );
}
