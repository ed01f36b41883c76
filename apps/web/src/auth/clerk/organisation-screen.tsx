import { OrganizationProfile } from '@clerk/clerk-react';
import { paths } from '@/paths';
import { usePageTitle } from '@/ui/use-page-title';
import { PanelWaiting } from './waiting';

/** The organisation itself: its admins change it, its members see it. */
export function OrganisationScreen() {
  usePageTitle('Organisation');
  return (
    <OrganizationProfile
      // By the hash: what follows /organisation is no route of the product.
      routing="hash"
      afterLeaveOrganizationUrl={paths.onboarding}
      appearance={{ elements }}
      fallback={<PanelWaiting />}
    />
  );
}

/** Clerk's own styles lie outside the layers of ours: what is ours has to insist. */
const elements = { cardBox: 'max-w-full! shadow-low!' };
