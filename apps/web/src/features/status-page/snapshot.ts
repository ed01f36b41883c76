import { ApiError } from '@/api/error';
import type { StatusSnapshot } from '@/api/types';
import { apiBase, endpoints } from '@/paths';

/** The server leaves out empty lists. */
type Sent = Omit<StatusSnapshot, 'incidents' | 'maintenances'> & Partial<StatusSnapshot>;

/** Reads the snapshot that the server embedded into the page; null for an unknown organisation. */
export function readSnapshot(page: Document): StatusSnapshot | null {
  const text = page.getElementById('snapshot')?.textContent;
  return text ? whole(JSON.parse(text) as Sent) : null;
}

/**
 * Requests the state of an organisation. Returns null if it is still at `revision`.
 *
 * @throws ApiError
 */
export async function fetchSnapshot(
  orgId: string,
  revision: number | null,
  signal: AbortSignal,
): Promise<StatusSnapshot | null> {
  const headers = new Headers({ Accept: 'application/json' });
  if (revision !== null) headers.set('If-None-Match', `"${revision}"`);
  const url = new URL(apiBase + endpoints.status(orgId), window.location.origin);
  const response = await fetch(url, { headers, signal }).catch((error: unknown) => {
    throw signal.aborted ? error : ApiError.unreachable();
  });
  if (response.status === 304) return null;
  if (!response.ok) throw await ApiError.fromResponse(response);
  const { data } = (await response.json()) as { data: Sent };
  return whole(data);
}

function whole(sent: Sent): StatusSnapshot {
  return { incidents: [], maintenances: [], ...sent };
}
