import type { Subscriber } from '@/api/types';
import { useList } from '@/api/use-list';
import { calls } from '@/paths';
import { LoadFailure } from '@/ui/load-failure';
import { PageHeader } from '@/ui/page-header';
import { Spinner } from '@/ui/spinner';
import { useErrorToast } from '@/ui/use-error-toast';
import { usePageTitle } from '@/ui/use-page-title';
import { MailSummary } from './mail-summary';
import { NewSubscriber } from './new-subscriber';
import { SubscribersTable } from './subscribers-table';

const fetchFailed = 'Error while fetching subscribers';

export function SubscribersPage() {
  usePageTitle('Subscribers');
  const list = useList<Subscriber>(calls.subscribers.list);
  useErrorToast(list.error !== undefined, fetchFailed);
  const refresh = () => void list.refresh();

  return (
    <div className="grid min-w-0 gap-4">
      <PageHeader title="Subscribers" actions={<NewSubscriber onCreated={refresh} />} />
      {list.rows !== undefined ? (
        <SubscribersTable list={list} rows={list.rows} />
      ) : list.error ? (
        <LoadFailure title={fetchFailed} reason={list.error.message} onRetry={refresh} />
      ) : (
        // As high as the table that takes its place.
        <div className="grid h-78 place-content-center rounded-lg border border-line bg-surface shadow-low">
          <Spinner label="Loading subscribers…" />
        </div>
      )}
      {(list.rows ?? list.error) && <MailSummary />}
    </div>
  );
}
