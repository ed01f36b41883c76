import { useState, type ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { useApi } from '@/api/api-provider';
import { serverMessageOr } from '@/api/server-message';
import type { OrganisationDomain } from '@/api/types';
import { endpoints, paths } from '@/paths';
import { Alert } from '@/ui/alert';
import { Button } from '@/ui/button';
import { ConfirmButton } from '@/ui/confirm-button';
import { CopyField } from '@/ui/copy-field';
import { toast } from '@/ui/toast';
import { usePending } from '@/ui/use-pending';
import { hasPublicName } from './dns-record';

interface ClaimedDomainProps {
  domain: OrganisationDomain;
  /** Address of the status page. */
  pageUrl: string;
  isAdmin: boolean;
  /** Reads the settings again. */
  onChange: () => Promise<void>;
}

/** A domain that was entered: admins verify and remove it. */
export function ClaimedDomain({ domain, pageUrl, isAdmin, onChange }: ClaimedDomainProps) {
  const api = useApi();
  const isVerified = domain.status === 'VERIFIED';

  async function remove() {
    try {
      await api.delete(endpoints.organisationDomain.item);
      toast.success(`${domain.name} removed`);
      await onChange();
    } catch (error) {
      toast.error(serverMessageOr('The domain was not removed', error));
    }
  }

  const removal = (
    <ConfirmButton
      button={(ask) => <Button onClick={ask}>Remove</Button>}
      title={`Remove ${domain.name}?`}
      description={
        isVerified
          ? 'The status page is no longer served there. Links to it in earlier mails end.'
          : 'Its token is no longer valid.'
      }
      confirmLabel="Remove"
      onConfirm={remove}
    />
  );

  return (
    <>
      {isVerified ? (
        <a href={`https://${domain.name}`} className="w-fit font-medium wrap-anywhere underline">
          {domain.name}
        </a>
      ) : (
        <p className="font-medium wrap-anywhere">{domain.name}</p>
      )}
      {isAdmin && !isVerified && (
        <Verification domain={domain} pageUrl={pageUrl} onChange={onChange}>
          {removal}
        </Verification>
      )}
      {isAdmin && isVerified && <div className="flex justify-end">{removal}</div>}
    </>
  );
}

/** What to enter in the DNS. Until the domain is verified, the page has the installation's host. */
function DnsRecord({ domain, pageUrl }: { domain: string; pageUrl: string }) {
  const { hostname } = new URL(pageUrl);
  if (!hasPublicName(hostname)) {
    return (
      <p className="text-muted">
        Point the domain to this installation: add an A record of {domain} with the public address
        of the server to the DNS.
      </p>
    );
  }
  return (
    <>
      <p className="text-muted">
        Point the domain to this installation: add this record to the DNS. A domain that cannot have
        a CNAME needs an A record with the public address of the server.
      </p>
      <CopyField label={`CNAME of ${domain}`} value={hostname} />
    </>
  );
}

interface VerificationProps extends Pick<ClaimedDomainProps, 'domain' | 'pageUrl' | 'onChange'> {
  /** A button beside the one that verifies. */
  children: ReactNode;
}

function Verification({ domain, pageUrl, onChange, children }: VerificationProps) {
  const api = useApi();
  const [isPending, run] = usePending();
  const [reason, setReason] = useState<string>();

  async function verify() {
    setReason(undefined);
    try {
      await api.post(endpoints.organisationDomain.verify, {});
      toast.success(`${domain.name} verified`);
      await onChange();
    } catch (error) {
      setReason(serverMessageOr('The domain was not verified', error));
    }
  }

  return (
    <>
      <DnsRecord domain={domain.name} pageUrl={pageUrl} />
      <p className="text-muted">
        Then <code className="wrap-anywhere">{domain.checkUrl}</code> shows this token, and you can
        verify the domain. The installation serves the token by itself: you need not enter it.
      </p>
      <code className="rounded-md border border-line p-2 text-sm wrap-anywhere">
        {domain.token}
      </code>
      {reason && (
        <Alert kind="error">
          {reason}{' '}
          <Link to={paths.guide('own-domain')} className="underline">
            What a domain needs
          </Link>
        </Alert>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        {children}
        <Button variant="primary" pending={isPending} onClick={() => run(verify)}>
          {isPending ? 'Verifying...' : 'Verify'}
        </Button>
      </div>
    </>
  );
}
