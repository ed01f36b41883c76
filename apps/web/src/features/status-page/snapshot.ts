import type { StatusSnapshot } from '@/api/types';

/** The state of the organisation that the server wrote into the page; null for an unknown organisation. */
export function readSnapshot(page: Document): StatusSnapshot | null {
  const text = page.getElementById('snapshot')?.textContent;
  return text ? (JSON.parse(text) as StatusSnapshot) : null;
}
