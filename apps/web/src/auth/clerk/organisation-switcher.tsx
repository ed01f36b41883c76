import { OrganizationSwitcher as Switcher } from '@clerk/clerk-react';
import { paths } from '@/paths';
import { LeaveQuestion } from './leave-question';
import { ButtonPlaceholder } from './placeholders';

export function OrganisationSwitcher() {
  return (
    <div className="grid h-8 max-w-56 min-w-0 items-center">
      <LeaveQuestion>
        <Switcher
          hidePersonal
          organizationProfileMode="navigation"
          organizationProfileUrl={paths.organisation}
          appearance={{ elements }}
          fallback={<ButtonPlaceholder />}
        />
      </LeaveQuestion>
    </div>
  );
}

/** Clerk's styles are outside of any layer, so ours need `!important`. */
const elements = {
  rootBox: 'min-w-0!',
  organizationSwitcherTrigger: 'h-8! max-w-full! min-w-0! px-2! text-ink!',
};
