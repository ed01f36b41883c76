import type { ApiResponse } from '@/api/client';
import { fetchAllPages } from '@/api/fetch-all-pages';
import type { AttachedComponent } from '@/api/types';
import type { ReadItem } from '@/api/use-fresh-query';

/** Reads all components of an incident, which may be more than the server sends at once. */
export const readAttached: ReadItem<AttachedComponent[]> = (api, path) =>
  fetchAllPages(api, path) as Promise<ApiResponse<AttachedComponent[]>>;
