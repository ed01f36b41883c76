import { createHash } from 'node:crypto';

/**
 * Writes the version of a page, a hash of it, into the page: its script compares it with that of
 * the page that it reads again.
 */
export function withVersion(html: string): string {
  const version = createHash('sha256').update(html).digest('base64url').slice(0, 8);
  return html.replace('<html lang="en"', `$& data-version="${version}"`);
}
