import { OrganizationSwitcher as Switcher } from '@clerk/clerk-react';
import { paths } from '@/paths';
import { ButtonWaiting } from './waiting';

export function OrganisationSwitcher() {
  return (
    <div className="grid h-8 max-w-56 min-w-0 items-center">
      <Switcher
        hidePersonal
        organizationProfileMode="navigation"
        organizationProfileUrl={paths.organisation}
        appearance={{ elements }}
        fallback={<ButtonWaiting />}
      />
    </div>
  );
}

/** Clerk's own styles lie outside the layers of ours: what is ours has to insist. */
const elements = {
  rootBox: 'min-w-0!',
  organizationSwitcherTrigger: 'h-8! max-w-full! min-w-0! px-2! text-ink!',
};
