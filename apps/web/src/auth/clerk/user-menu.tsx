import { UserButton } from '@clerk/clerk-react';
import { useCallback, useState } from 'react';
import { PanelUserMenu } from './panel-user-menu';
import { ButtonWaiting } from './waiting';

/** The person's name and what is theirs alone. Where there is no room for the name the picture stays. */
export function UserMenu() {
  const [isInPanel, setIsInPanel] = useState<boolean | null>(null);
  const place = useCallback((node: HTMLElement | null) => {
    if (node !== null) setIsInPanel(node.closest('[role=dialog]') !== null);
  }, []);
  return (
    <div ref={place} className="@container grid h-10 min-w-0 items-center">
      {isInPanel === true && <PanelUserMenu />}
      {isInPanel === false && (
        <UserButton showName appearance={{ elements }} fallback={<ButtonWaiting />} />
      )}
    </div>
  );
}

/** Clerk's own styles lie outside the layers of ours: what is ours has to insist. */
const elements = {
  rootBox: 'w-full! min-w-0!',
  userButtonTrigger: 'w-full! min-w-0! rounded-md! @min-[6rem]:px-1.5!',
  userButtonBox:
    'w-full! min-w-0! flex-row-reverse! justify-center! gap-2! @min-[6rem]:justify-end!',
  userButtonOuterIdentifier: 'hidden! min-w-0! truncate! ps-0! font-medium! @min-[6rem]:block!',
};
