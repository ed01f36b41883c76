import { OrganizationProfile } from '@clerk/clerk-react';
import { paths } from '@/paths';
import { usePageTitle } from '@/ui/use-page-title';
import { PanelPlaceholder } from './placeholders';

/** The organisation's settings: editable by admins, readable by members. */
export function OrganisationScreen() {
  usePageTitle('Organisation');
  return (
    <OrganizationProfile
      // By the hash, because the product has no routes below /organisation.
      routing="hash"
      afterLeaveOrganizationUrl={paths.onboarding}
      appearance={{ elements }}
      fallback={<PanelPlaceholder />}
    />
  );
}

/** Clerk's styles are outside of any layer, so ours need `!important`. */
const elements = { cardBox: 'max-w-full! shadow-low!' };
