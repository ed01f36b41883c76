import { OrganizationProfile } from '@clerk/clerk-react';
import { paths } from '@/paths';
import { PageHeader } from '@/ui/page-header';
import { usePageTitle } from '@/ui/use-page-title';
import { PanelWaiting } from './waiting';

/** The organisation itself: its admins change it, its members see it. */
export function OrganisationScreen() {
  usePageTitle('Organisation');
  return (
    <div className="grid gap-6">
      <PageHeader title="Organisation" />
      <OrganizationProfile
        // By the hash: what follows /organisation is no route of the product.
        routing="hash"
        afterLeaveOrganizationUrl={paths.onboarding}
        fallback={<PanelWaiting />}
      />
    </div>
  );
}
