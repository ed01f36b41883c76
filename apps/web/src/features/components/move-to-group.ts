import { useApi } from '@/api/api-provider';
import type { ApiClient } from '@/api/client';
import { ApiError } from '@/api/error';
import { useListCache } from '@/api/list-cache';
import type { ComponentOrder } from '@/api/types';
import { insertComponent } from '@/page-rules/order';
import { endpoints } from '@/paths';

/** How often a move is attempted while other users change the order. */
const maxAttempts = 3;

/**
 * Returns a function that puts components first in a group, in their order on the page; `null` is
 * no group. Those that are in it keep their places. All of them move or none. It throws `ApiError`.
 */
export function useMoveToGroup() {
  const api = useApi();
  const listCache = useListCache();
  return async (ids: readonly string[], group: string | null): Promise<void> => {
    await move(api, new Set(ids), group, maxAttempts);
    // Not awaited: without a connection it is retried for seconds.
    void listCache.refresh(endpoints.components.list);
  };
}

async function move(
  api: ApiClient,
  ids: ReadonlySet<string>,
  group: string | null,
  attempts: number,
): Promise<void> {
  const { data, etag } = await api.get<ComponentOrder>(endpoints.componentOrder);
  // A component that is deleted meanwhile is left out.
  const groups = data.groups
    .flatMap(({ components }) => components)
    .filter((id) => ids.has(id))
    .reduceRight((order, id) => insertComponent(order, id, group), data.groups);
  try {
    await api.post(endpoints.componentOrder, { groups }, { ifMatch: etag });
  } catch (error) {
    const isOutdated = error instanceof ApiError && error.status === 412;
    if (!isOutdated || attempts === 1) throw error;
    await move(api, ids, group, attempts - 1);
  }
}
