import { ApiError } from '@/api/error';
import type { StatusSnapshot } from '@/api/types';
import { apiBase, publicEndpoints } from '@/public-paths';
import { orderOf } from '@/api/page-order';
import type { PageState } from './page-state';

/** The server leaves out empty lists. */
type Sent = Omit<StatusSnapshot, 'incidents' | 'maintenances'> & Partial<StatusSnapshot>;

/** Reads the snapshot that the server embedded into the page; null for an unknown organisation. */
export function readSnapshot(page: Document): PageState | null {
  const text = page.getElementById('snapshot')?.textContent;
  return text ? whole(JSON.parse(text) as Sent) : null;
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
  const headers = new Headers({ Accept: 'application/json' });
  if (revision !== null) headers.set('If-None-Match', `"${revision}"`);
  const url = new URL(apiBase + publicEndpoints.status(orgId), window.location.origin);
  if (atLeast !== null) url.searchParams.set('revision', String(atLeast));
  // The browser's copy may be some seconds old.
  const response = await fetch(url, { headers, signal, cache: 'no-cache' }).catch(
    (error: unknown) => {
      throw signal.aborted ? error : ApiError.unreachable();
    },
  );
  if (response.status === 304) return null;
  if (!response.ok) throw await ApiError.fromResponse(response);
  const { data } = (await response.json()) as { data: Sent };
  return whole(data);
}

function whole(sent: Sent): PageState {
  return { incidents: [], maintenances: [], ...sent, order: orderOf(sent) };
}
