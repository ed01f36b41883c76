import type { OrganisationDomain } from '@/api/types';
import { Badge } from '@/ui/badge';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { GuideLink } from '@/ui/guide-link';
import { useKeptFocus } from '@/ui/use-kept-focus';
import { ClaimedDomain } from './claimed-domain';
import { DomainClaimForm } from './domain-claim-form';

interface DomainCardProps {
  domain: OrganisationDomain | null;
  /** Address of the status page. */
  pageUrl: string;
  isAdmin: boolean;
  /** Reads the settings again. */
  onChange: () => Promise<void>;
}

/** The domain of the status page: admins enter, verify and remove it. */
export function DomainCard({ domain, pageUrl, isAdmin, onChange }: DomainCardProps) {
  // Its buttons go away once a domain is added, verified or removed.
  const keptFocus = useKeptFocus<HTMLElement>();
  return (
    <Card id="domain" {...keptFocus}>
      <CardHeader
        title="Domain"
        description="Serve the status page at an address of your own."
        actions={
          <>
            {domain && <DomainBadge domain={domain} />}
            <GuideLink guide="own-domain" topic="domains" />
          </>
        }
      />
      <CardBody className="grid gap-4">
        {domain ? (
          <ClaimedDomain domain={domain} pageUrl={pageUrl} isAdmin={isAdmin} onChange={onChange} />
        ) : isAdmin ? (
          <DomainClaimForm onChange={onChange} />
        ) : (
          <p className="text-muted">There is no domain.</p>
        )}
      </CardBody>
    </Card>
  );
}

function DomainBadge({ domain }: { domain: OrganisationDomain }) {
  return domain.status === 'VERIFIED' ? (
    <Badge tone="operational">Verified</Badge>
  ) : (
    <Badge tone="degraded">Pending</Badge>
  );
}
