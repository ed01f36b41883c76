import { useClerk, useUser } from '@clerk/clerk-react';
import { LogOut } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { Avatar } from '@/ui/avatar';
import { IconButton } from '@/ui/icon-button';

/**
 * The same in the panel that lies over the page on a phone. Clerk's own menu opens outside of the panel, where nothing
 * can be pressed as long as the panel is open: the panel has to go before anything of Clerk's comes.
 */
export function PanelUserMenu() {
  const clerk = useClerk();
  const { user } = useUser();
  if (user == null) return null;
  const name = user.fullName ?? user.primaryEmailAddress?.emailAddress ?? '';
  return (
    <div className="flex min-w-0 items-center gap-2">
      <Dialog.Close
        onClick={() => clerk.openUserProfile()}
        aria-label={`Account of ${name}`}
        className="flex h-10 min-w-0 flex-1 items-center gap-2 rounded-md px-1.5 text-left hover:bg-hover"
      >
        <Avatar name={name} />
        <span className="min-w-0 truncate font-medium text-ink">{name}</span>
      </Dialog.Close>
      <IconButton
        label="Sign out"
        icon={<LogOut aria-hidden />}
        onClick={() => void clerk.signOut()}
      />
    </div>
  );
}
