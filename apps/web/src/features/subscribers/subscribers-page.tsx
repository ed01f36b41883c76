import { useMemo } from 'react';
import { useListCache } from '@/api/list-cache';
import type { OrganisationSettings } from '@/api/types';
import { listPath } from '@/api/use-list';
import { usePolling } from '@/api/use-polling';
import { useQuery } from '@/api/use-query';
import { ListPage } from '@/items/list-page';
import { endpoints } from '@/paths';
import { GuideLink } from '@/ui/guide-link';
import { MailNotice } from '@/ui/mail-notice';
import { Spinner } from '@/ui/spinner';
import { DeliverySummary } from './delivery-summary';
import { useNewSubscriber } from './new-subscriber';
import { SendConfirmations } from './send-confirmations';
import { subscriberKind } from './subscriber';
import { subscriberColumns } from './subscriber-columns';
import { useSubscriberDialogs } from './subscriber-dialogs';
import { useSubscriberFilter } from './subscriber-filter';
import { SubscribersMenu } from './subscribers-menu';

/** No event reports changes of subscribers, so the list is read from time to time. */
const pollMs = 60_000;

export function SubscribersPage() {
  const { list } = endpoints.subscribers;
  const listCache = useListCache();
  usePolling(() => listCache.refresh(list), pollMs);
  const { button, dialogs: newDialogs } = useNewSubscriber();
  const filter = useSubscriberFilter();
  const { open, dialogs } = useSubscriberDialogs(listPath(list, filter.query));
  const columns = useMemo(() => subscriberColumns(open), [open]);
  const { data: settings } = useQuery<OrganisationSettings>(endpoints.organisationSettings);
  const address = settings ? ` Its address is ${settings.url}` : '';
  return (
    <>
      <ListPage
        kind={subscriberKind}
        title="Subscribers"
        action={button}
        readerAction={
          <>
            <GuideLink guide="subscribers" topic="subscribers" size="md" />
            <SubscribersMenu query={filter.query} />
          </>
        }
        columns={columns}
        wide
        notice={<MailNotice />}
        filter={filter}
        bulkActions={(selected) => <SendConfirmations selected={selected} />}
        emptyHint={`Add an address, or share your status page: its visitors can subscribe by themselves.${address}`}
        placeholder={
          // As high as the table that replaces it.
          <div className="grid h-78 place-content-center rounded-lg border border-line bg-surface shadow-low">
            <Spinner label="Loading subscribers..." />
          </div>
        }
      >
        <DeliverySummary />
      </ListPage>
      {newDialogs}
      {dialogs}
    </>
  );
}
