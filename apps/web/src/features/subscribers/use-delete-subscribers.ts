import { useApi } from '@/api/api-provider';
import { without } from '@/api/list-changes';
import type { Subscriber } from '@/api/types';
import { useChangeList, useRefreshList } from '@/api/use-list';
import { calls } from '@/paths';
import { toast } from '@/ui/toast';

/** Deletes subscribers, one call each, and answers whether all are gone. */
export function useDeleteSubscribers(): (subscribers: readonly Subscriber[]) => Promise<boolean> {
  const api = useApi();
  const changeList = useChangeList<Subscriber>(calls.subscribers.list);
  const refreshList = useRefreshList(calls.subscribers.list);

  async function remove({ id }: Subscriber) {
    await api.delete(calls.subscribers.item(id));
    changeList(without(id));
  }

  return async (subscribers) => {
    const results = await Promise.allSettled(subscribers.map(remove));
    const failed = results.some(({ status }) => status === 'rejected');
    if (failed) toast.error('error');
    void refreshList();
    return !failed;
  };
}
