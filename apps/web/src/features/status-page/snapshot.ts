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

/**
 * A response that says that the request failed. The page's first script has no room for more:
 * see snapshot-error.ts.
 */
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
 * Requests the state that a page shows, or another one; `isDrawn` says which.
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
 * Requests the state of an organisation. No shared cache sends one that is older than `atLeast`: it
 * stores the response under an address of its own, which nobody requested before that revision. A
 * node that lags behind may.
 *
 * @throws FailedResponse
 */
export async function fetchSnapshot(
  orgId: string,
  atLeast: number | null,
  signal: AbortSignal,
): Promise<PageState> {
  return read(await request(orgId, atLeast, signal));
}

export type FetchSnapshot = typeof fetchSnapshot;

async function request(
  orgId: string,
  atLeast: number | null,
  signal: AbortSignal | null = null,
): Promise<Response> {
  const query = atLeast === null ? '' : `?revision=${atLeast}`;
  const path = apiBase + publicEndpoints.status(orgId) + query;
  const response = await fetch(new URL(path, location.origin), {
    // The browser's copy may be some seconds old. The browser asks whether it still holds.
    cache: 'no-cache',
    signal,
  });
  if (!response.ok) throw new FailedResponse(response);
  return response;
}

async function read(response: Response): Promise<PageState> {
  const { data } = (await response.json()) as { data: StatusSnapshot };
  return { ...data, order: orderOf(data) };
}
