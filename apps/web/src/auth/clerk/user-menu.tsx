import { UserButton } from '@clerk/clerk-react';
import { ButtonWaiting } from './waiting';

/** The person's name and what is theirs alone. Where there is no room for the name the picture stays. */
export function UserMenu() {
  return (
    <div className="@container grid h-10 min-w-0 items-center">
      <UserButton showName appearance={{ elements }} fallback={<ButtonWaiting />} />
    </div>
  );
}

/** Clerk's own styles lie outside the layers of ours: what is ours has to insist. */
const elements = {
  rootBox: 'w-full! min-w-0!',
  userButtonBox: 'w-full! min-w-0! flex-row-reverse! justify-end! gap-2!',
  userButtonTrigger: 'w-full! min-w-0! justify-start! rounded-md!',
  userButtonOuterIdentifier: 'hidden! min-w-0! truncate! ps-0! font-medium! @min-[6rem]:block!',
};
