import { paths } from '@/paths';

/** The longest label of a badge that the server draws. */
export const longestLabel = 100;

/**
 * The public address of the installation if the browser has opened another one, given the address
 * of a status page; null otherwise. Of a page on a domain of its own, it is not known.
 */
export function otherPublicAddress(
  { id, url }: { id: string; url: string },
  opened: string,
): string | null {
  const { origin, pathname } = new URL(url);
  return pathname === paths.status(id) && origin !== opened ? origin : null;
}

export interface BadgeChoice {
  /** Code of a component; '' for the page. */
  component: string;
  /** `status`, or the days of the uptime. */
  metric: string;
  /** `flat` or `flat-square`. */
  style: string;
  /** '' for the name. */
  label: string;
}

/** The path of a badge below the page's address. Defaults are left out. */
export function badgePath({ component, metric, style, label }: BadgeChoice): string {
  const query = new URLSearchParams();
  if (metric !== 'status') {
    query.set('metric', 'uptime');
    query.set('days', metric);
  }
  if (style !== 'flat') query.set('style', style);
  if (label.trim() !== '') query.set('label', label.trim());
  const file = component === '' ? '/badge.svg' : `/badge/${component}.svg`;
  return query.size > 0 ? `${file}?${query.toString()}` : file;
}

/** The texts to copy for a badge, each with its name. */
export function badgeTexts(url: string, path: string, name: string): [string, string][] {
  const address = url + path;
  const alt = `Status of ${name}`;
  return [
    ['Address of the badge', address],
    ['Markdown', `[![${markdown(alt)}](${address})](${url})`],
    ['HTML', `<a href="${html(url)}"><img src="${html(address)}" alt="${html(alt)}"></a>`],
  ];
}

/** The element that loads the banner. */
export function bannerScript(
  url: string,
  { always, position }: { always: boolean; position: string },
): string {
  const attributes = [
    `async src="${html(url)}/embed.js"`,
    always && 'data-show="always"',
    position !== '' && `data-position="${position}"`,
  ];
  return `<script ${attributes.filter(Boolean).join(' ')}></script>`;
}

function html(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/** Escapes what would end the description of a picture. */
function markdown(text: string): string {
  return text.replace(/[\\[\]]/g, '\\$&');
}
