import { useQuery } from '@/api/use-query';
import type { StatusSnapshot } from '@/api/types';
import { apiBase, endpoints } from '@/paths';
import { publicFeeds } from '@/public-paths';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { CopyField } from '@/ui/copy-field';
import { FormSkeleton } from '@/ui/form-skeleton';
import { LoadFailure } from '@/ui/load-failure';
import { BadgeSection } from './badge-section';
import { BannerSection } from './banner-section';
import { IntegrationSection } from './integration-section';

/** What other sites and programs use of the public page: each with its address, to be copied. */
export function Integrations({ orgId }: { orgId: string }) {
  const { data, error, refresh } = useQuery<StatusSnapshot>(endpoints.status(orgId));
  return (
    <Card>
      <CardHeader
        title="Integrations"
        description="What other sites and programs can show of your public page."
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
