import type { StatusSnapshot } from '@/api/types';
import { orderOf } from '@/page-rules/order';
import { apiBase, publicEndpoints } from '@/public-paths';
import type { PageState } from './page-state';

/** What the server has drawn. */
export interface DrawnPage {
  orgId: string;
  /** Entity tag of the state that the page shows. */
  tag: string;
}

/** A response that says that the request failed. The page's first script has no room for more: see snapshot-error.ts. */
export class FailedResponse extends Error {
  readonly response: Response;

  constructor(response: Response) {
    super(String(response.status));
    this.response = response;
  }
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
 * @throws FailedResponse
 */
export async function fetchDrawn({
  orgId,
  tag,
}: DrawnPage): Promise<{ state: PageState; isDrawn: boolean }> {
  const response = await request(orgId, parseInt(tag));
  const received = response.headers.get('ETag')?.replace(/^W\//, '');
  return { state: await read(response), isDrawn: received === `"${tag}"` };
}

/**
 * Requests the state of an organisation. Returns null if it is still at `revision`. The state is not older than `atLeast`:
 * a shared cache stores the response under an address of its own, which nobody requested before that revision.
 *
 * @throws FailedResponse
 */
export async function fetchSnapshot(
  orgId: string,
  revision: number | null,
  signal: AbortSignal,
  atLeast = revision,
): Promise<PageState | null> {
  const known = revision === null ? undefined : { 'If-None-Match': `"${revision}"` };
  const response = await request(orgId, atLeast, known, signal);
  return response.status === 304 ? null : read(response);
}

async function request(
  orgId: string,
  atLeast: number | null,
  headers: Record<string, string> = {},
  signal: AbortSignal | null = null,
): Promise<Response> {
  const query = atLeast === null ? '' : `?revision=${atLeast}`;
  const path = apiBase + publicEndpoints.status(orgId) + query;
  const response = await fetch(new URL(path, window.location.origin), {
    headers,
    // The browser's copy may be some seconds old.
    cache: 'no-cache',
    signal,
  });
  if (!response.ok && response.status !== 304) throw new FailedResponse(response);
  return response;
}

async function read(response: Response): Promise<PageState> {
  const { data } = (await response.json()) as { data: StatusSnapshot };
  return { ...data, order: orderOf(data) };
}
