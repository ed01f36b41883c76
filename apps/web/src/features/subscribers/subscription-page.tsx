import { useState, type ReactNode } from 'react';
import { Navigate, useSearchParams } from 'react-router-dom';
import useSWR from 'swr';
import { useApi } from '@/api/api-provider';
import type { ApiResponse } from '@/api/client';
import type { ApiError } from '@/api/error';
import type { StatusSnapshot, Subscriber } from '@/api/types';
import { useQuery } from '@/api/use-query';
import { endpoints, paths } from '@/paths';
import { channelNames } from '@/shared-features/subscription/channels';
import { StatusBadge } from '@/ui/badge';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { FormSkeleton } from '@/ui/form-skeleton';
import { LoadFailure } from '@/ui/load-failure';
import { subscriberStatuses } from '@/ui/subscriber-statuses';
import { usePageTitle } from '@/ui/use-page-title';
import { LinkFrame } from './link-page';
import { manageLinkOf, type ManageLink } from './link-query';
import { ManageForm } from './manage-form';
import { UnsubscribeButton } from './unsubscribe-button';

/**
 * Target of the manage link in every message. It reads the subscription, and changes it only when a
 * button is pressed.
 */
export function SubscriptionPage() {
  const [query] = useSearchParams();
  const link = manageLinkOf(query);
  if (link === null) return <Navigate to={paths.landing} replace />;
  return <Subscription link={link} />;
}

const title = 'Manage Subscription';

function Subscription({ link }: { link: ManageLink }) {
  usePageTitle(title);
  const api = useApi();
  const subscriber = useSWR<ApiResponse<Subscriber>, ApiError>(
    [endpoints.subscribers.subscription, link],
    () => api.post<Subscriber>(endpoints.subscribers.subscription, link),
    { revalidateOnFocus: false },
  );
  const snapshot = useQuery<StatusSnapshot>(endpoints.status(link.orgId));
  const [isEnded, setIsEnded] = useState(false);
  const error = subscriber.error ?? snapshot.error;

  const retry = () => Promise.all([subscriber.mutate(), snapshot.refresh()]);

  return (
    <LinkFrame orgId={link.orgId}>
      <Card className="rounded-xl!">
        <CardHeader level={1} title={title} description={snapshot.data?.organisation.pageTitle} />
        <CardBody className="grid gap-5">
          {subscriber.data && snapshot.data ? (
            <Loaded
              link={link}
              subscriber={subscriber.data.data}
              snapshot={snapshot.data}
              isEnded={isEnded}
              onEnd={() => setIsEnded(true)}
            />
          ) : error ? (
            <LoadFailure
              title="The subscription could not be opened"
              reason={error.message}
              onRetry={retry}
            />
          ) : (
            <FormSkeleton fields={['line', 'text']} />
          )}
        </CardBody>
      </Card>
    </LinkFrame>
  );
}

interface LoadedProps {
  link: ManageLink;
  subscriber: Subscriber;
  snapshot: StatusSnapshot;
  isEnded: boolean;
  onEnd: () => void;
}

function Loaded({ link, subscriber, snapshot, isEnded, onEnd }: LoadedProps) {
  const { channel, target, scope, status, failing } = subscriber;
  if (isEnded || status === 'UNSUBSCRIBED') {
    return (
      <div role="status" className="grid gap-1">
        <h2 className="font-semibold">Successfully Unsubscribed</h2>
        <p className="wrap-anywhere text-muted">
          {`No more updates will be sent to ${target}. You can subscribe again on the status page.`}
        </p>
      </div>
    );
  }
  const unsubscribe = <UnsubscribeButton link={link} target={target} onEnd={onEnd} />;
  return (
    <>
      <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-4 gap-y-2 text-sm">
        <Fact label={channelNames[channel]}>{target}</Fact>
        <Fact label="Status">
          <StatusBadge {...subscriberStatuses[status]} />
        </Fact>
        {failing && <Fact label="Not delivered">{failing.reason}</Fact>}
        {scope === 'INCIDENT' && <Fact label="Follows">{followed(subscriber, snapshot)}</Fact>}
      </dl>
      {scope === 'INCIDENT' ? (
        <div className="flex justify-end">{unsubscribe}</div>
      ) : (
        <ManageForm link={link} subscriber={subscriber} snapshot={snapshot}>
          {unsubscribe}
        </ManageForm>
      )}
    </>
  );
}

function followed({ incidentId }: Subscriber, { incidents }: StatusSnapshot): string {
  return incidents.find(({ id }) => id === incidentId)?.title ?? 'One incident';
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{label}</dt>
      <dd className="min-w-0 font-medium wrap-anywhere text-ink">{children}</dd>
    </>
  );
}
