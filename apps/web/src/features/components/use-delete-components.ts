import { useApi } from '@/api/api-provider';
import { without } from '@/api/list-changes';
import type { Component } from '@/api/types';
import { useChangeList, useRefreshList } from '@/api/use-list';
import { calls } from '@/paths';
import { toast } from '@/ui/toast';

/** Deletes components, one call each, and answers whether all are gone. */
export function useDeleteComponents(): (components: readonly Component[]) => Promise<boolean> {
  const api = useApi();
  const changeList = useChangeList<Component>(calls.components.list);
  const refreshList = useRefreshList(calls.components.list);

  async function remove({ id }: Component) {
    await api.delete(calls.components.item(id));
    changeList(without(id));
  }

  return async (components) => {
    const results = await Promise.allSettled(components.map(remove));
    const failed = results.some(({ status }) => status === 'rejected');
    if (failed) toast.error('error');
    else toast.success('Component Deleted');
    void refreshList();
    return !failed;
  };
}
