import { Link } from 'react-router-dom';
import { useQuery } from '@/api/use-query';
import type { StatusSnapshot } from '@/api/types';
import { apiBase, endpoints, paths } from '@/paths';
import { publicFeeds } from '@/public-paths';
import { Alert } from '@/ui/alert';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { CopyField } from '@/ui/copy-field';
import { FormSkeleton } from '@/ui/form-skeleton';
import { GuideLink } from '@/ui/guide-link';
import { LoadFailure } from '@/ui/load-failure';
import { BadgeSection } from './badge-section';
import { BannerSection } from './banner-section';
import { IntegrationSection } from './integration-section';
import { otherPublicAddress } from './integrations';

/** What other sites and programs use of the public page: each with its address, to be copied. */
export function Integrations({ orgId }: { orgId: string }) {
  const { data, error, refresh } = useQuery<StatusSnapshot>(endpoints.status(orgId));
  return (
    <Card id="integrations">
      <CardHeader
        title="Integrations"
        description="What other sites and programs can show of your public page."
        actions={<GuideLink guide="status-page#on-other-sites" topic="integrations" />}
      />
      <CardBody className="grid gap-8">
        {data ? (
          <Sections snapshot={data} />
        ) : error ? (
          <LoadFailure
            title="The public page could not be loaded"
            reason={error.message}
            onRetry={refresh}
          />
        ) : (
          <FormSkeleton fields={['line', 'line', 'line']} />
        )}
      </CardBody>
    </Card>
  );
}

function Sections({ snapshot }: { snapshot: StatusSnapshot }) {
  const { id, url } = snapshot.organisation;
  return (
    <>
      <IntegrationSection
        title="Status page"
        description="What your customers open. Share it where they look for help."
      >
        <CopyField label="Address of the status page" value={url} />
        <AddressNotice organisation={snapshot.organisation} />
      </IntegrationSection>
      <BadgeSection snapshot={snapshot} />
      <BannerSection orgId={id} url={url} />
      <IntegrationSection
        title="Feeds"
        description="For readers of news, chat rooms and calendars. Chat rooms post each new item once: give them every update."
      >
        {publicFeeds.map(([path, name]) => (
          <CopyField key={path} label={name} value={url + path} />
        ))}
      </IntegrationSection>
      <IntegrationSection
        title="API"
        description="Public, without a token. The first two have the form of the Statuspage API."
      >
        <CopyField label="Summary" value={`${url}/api/v2/summary.json`} />
        <CopyField label="Status" value={`${url}/api/v2/status.json`} />
        <CopyField
          label="Snapshot of the page"
          value={new URL(apiBase + endpoints.status(id), url).href}
        />
      </IntegrationSection>
    </>
  );
}

/** Says that links lead to another address than the one that is open. */
function AddressNotice({ organisation }: { organisation: StatusSnapshot['organisation'] }) {
  const opened = window.location.origin;
  const linked = otherPublicAddress(organisation, opened);
  if (linked === null) return null;
  const text = `You have opened ${opened}, but mails, feeds and the texts to copy lead to the other address. If people cannot reach it, set ALLCLEAR_PUBLIC_URL.`;
  return (
    <Alert kind="warning" title={`Links begin with ${linked}`} className="wrap-anywhere">
      {text}{' '}
      <Link to={paths.guide('configuration')} className="underline">
        How it is set
      </Link>
    </Alert>
  );
}
