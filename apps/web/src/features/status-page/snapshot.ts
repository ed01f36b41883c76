import { ApiError } from '@/api/error';
import type { StatusSnapshot } from '@/api/types';
import { apiBase, publicEndpoints } from '@/public-paths';
import { orderOf } from '@/api/page-order';
import type { PageState } from './page-state';

/** The server leaves out empty lists. */
type Sent = Omit<StatusSnapshot, 'incidents' | 'maintenances'> & Partial<StatusSnapshot>;

/** What the server has drawn. */
export interface DrawnPage {
  orgId: string;
  /** Entity tag of the state that the page shows. */
  tag: string;
}

/** Reads what the server has drawn; null for an unknown organisation. */
export function readDrawn(page: Document): DrawnPage | null {
  const text = page.getElementById('drawn')?.textContent;
  if (!text) return null;
  const { organisation, tag } = JSON.parse(text) as { organisation: string; tag: string };
  return { orgId: organisation, tag };
}

/**
 * Requests the state that a page shows, or a newer one; `isDrawn` says which.
 *
 * @throws ApiError
 */
export async function fetchDrawn({
  orgId,
  tag,
}: DrawnPage): Promise<{ state: PageState; isDrawn: boolean }> {
  const response = await request(orgId, parseInt(tag), { Accept: 'application/json' });
  const { data } = (await response.json()) as { data: Sent };
  const received = response.headers.get('ETag')?.replace(/^W\//, '');
  return { state: whole(data), isDrawn: received === `"${tag}"` };
}

/**
 * Requests the state of an organisation. Returns null if it is still at `revision`. The state is not older than `atLeast`:
 * a shared cache stores the response under an address of its own, which nobody requested before that revision.
 *
 * @throws ApiError
 */
export async function fetchSnapshot(
  orgId: string,
  revision: number | null,
  signal: AbortSignal,
  atLeast = revision,
): Promise<PageState | null> {
  const headers: Record<string, string> = { Accept: 'application/json' };
  if (revision !== null) headers['If-None-Match'] = `"${revision}"`;
  const response = await request(orgId, atLeast, headers, signal);
  if (response.status === 304) return null;
  const { data } = (await response.json()) as { data: Sent };
  return whole(data);
}

async function request(
  orgId: string,
  atLeast: number | null,
  headers: HeadersInit,
  signal?: AbortSignal,
): Promise<Response> {
  const url = new URL(apiBase + publicEndpoints.status(orgId), window.location.origin);
  if (atLeast !== null) url.searchParams.set('revision', String(atLeast));
  // The browser's copy may be some seconds old.
  const options: RequestInit = { headers, cache: 'no-cache', ...(signal && { signal }) };
  const response = await fetch(url, options).catch((error: unknown) => {
    throw signal?.aborted ? error : ApiError.unreachable();
  });
  if (!response.ok && response.status !== 304) throw await ApiError.fromResponse(response);
  return response;
}

function whole(sent: Sent): PageState {
  return { incidents: [], maintenances: [], ...sent, order: orderOf(sent) };
}
