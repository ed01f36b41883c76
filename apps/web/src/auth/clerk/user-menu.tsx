import { useClerk, UserButton, useUser } from '@clerk/clerk-react';
import { LogOut } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useCallback, useState } from 'react';
import { Avatar } from '@/ui/avatar';
import { IconButton } from '@/ui/icon-button';
import { useConfirmLeave } from '@/ui/use-confirm-leave';
import { toast } from '@/ui/toast';
import { LeaveQuestion } from './leave-question';
import { ButtonPlaceholder } from './placeholders';

/** The user's name and personal settings. Without room for the name it shows the picture. */
export function UserMenu() {
  const [isInPanel, setIsInPanel] = useState<boolean | null>(null);
  const place = useCallback((node: HTMLElement | null) => {
    if (node !== null) setIsInPanel(node.closest('[role=dialog]') !== null);
  }, []);
  return (
    <div ref={place} className="@container grid h-10 min-w-0 items-center">
      {isInPanel === true && <PanelUserMenu />}
      {isInPanel === false && (
        <LeaveQuestion>
          <UserButton showName appearance={{ elements }} fallback={<ButtonPlaceholder />} />
        </LeaveQuestion>
      )}
    </div>
  );
}

/** Clerk's styles are outside of any layer, so ours need `!important`. */
const elements = {
  rootBox: 'w-full! min-w-0!',
  userButtonTrigger: 'w-full! min-w-0! rounded-md! @min-[6rem]:px-1.5!',
  userButtonBox:
    'w-full! min-w-0! flex-row-reverse! justify-center! gap-2! @min-[6rem]:justify-end!',
  userButtonOuterIdentifier: 'hidden! min-w-0! truncate! ps-0! font-medium! @min-[6rem]:block!',
};

/**
 * The same in the panel that lies over the page on a phone. Clerk's own menu opens outside of the
 * panel, where nothing can be pressed as long as the panel is open: the panel has to go before
 * anything of Clerk's comes.
 */
function PanelUserMenu() {
  const clerk = useClerk();
  const { user } = useUser();
  const { leave, question } = useConfirmLeave();
  if (user == null) return null;
  const name = user.fullName ?? user.primaryEmailAddress?.emailAddress ?? '';
  async function end() {
    try {
      await clerk.signOut();
    } catch (error) {
      console.error(error);
      toast.error('You were not signed out. Try again.');
    }
  }

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
        onClick={() => leave(() => void end())}
      />
      {question}
    </div>
  );
}
