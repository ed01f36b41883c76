import { describe, expect, it } from 'vitest';
import reference from '@docs/openapi.json?reference';
import openapi from '@docs/openapi.json?raw';
import type { Guide } from './guides';

const modules = import.meta.glob<Guide>(
  ['@docs/*.md', '@docs/decisions/*.md', '@content/*.md', '@content/blog/*.md'],
  { eager: true, import: 'default' },
);

const screens = import.meta.glob<string>('/src/**/*.tsx', {
  eager: true,
  query: '?raw',
  import: 'default',
});

function addressOf(path: string): string {
  return path
    .replace(/^.*?\/(docs|content)\//, (_, folder) => (folder === 'docs' ? '/docs/' : '/'))
    .replace(/\.md$/, '');
}

function parse({ html }: Guide): Document {
  return new DOMParser().parseFromString(html, 'text/html');
}

const guides = Object.entries(modules).map(([path, guide]) => ({
  address: addressOf(path),
  guide,
  page: parse(guide),
}));
const others = [
  '/docs',
  '/docs/api-reference',
  '/docs/nginx.conf',
  '/docs/nginx-cache.conf',
  '/blog',
];
const idsOn = new Map<string, Set<string>>(others.map((address) => [address, new Set<string>()]));
for (const { address, page } of guides) {
  idsOn.set(address, new Set(Array.from(page.querySelectorAll('[id]'), ({ id }) => id)));
}
idsOn.get('/docs')?.add('decisions');

/** Whether a link leads to no page or place; `from` is the address of its page. */
function isBroken(href: string, from = ''): boolean {
  const [target = '', place] = href.split('#', 2);
  const ids = idsOn.get(target === '' ? from : target);
  return ids === undefined || (place !== undefined && !ids.has(place));
}

it('has the guides and places that screens link to', () => {
  const links = Object.values(screens).flatMap((source) =>
    Array.from(
      source.matchAll(/\bguide(?:=|\()["']([^"']+)/g),
      ([, guide = '']) => `/docs/${guide}`,
    ),
  );
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((link) => isBroken(link))).toEqual([]);
});

describe.each(guides)('$address', ({ address, guide, page }) => {
  it('has a title and says first what it is about', () => {
    expect(guide.title).not.toBe('');
    expect(guide.summary.length).toBeGreaterThan(10);
  });

  it('links to pages and places that are there', () => {
    const broken = Array.from(page.querySelectorAll('a'), (link) => link.getAttribute('href') ?? '')
      .filter((href) => !/^https?:/.test(href))
      .filter((href) => isBroken(href, address));
    expect(broken).toEqual([]);
  });

  it('shows each picture in both themes, with a text and its size', () => {
    for (const picture of page.querySelectorAll('img')) {
      expect(picture.alt.length).toBeGreaterThan(10);
      expect(picture.width * picture.height).toBeGreaterThan(0);
    }
    const shownIn = (theme: string) => page.querySelectorAll(`img[data-shown-in="${theme}"]`);
    expect(shownIn('dark')).toHaveLength(shownIn('light').length);
  });

  it('holds no style and no script of its own', () => {
    expect(page.querySelectorAll('[style], style, script')).toHaveLength(0);
  });
});

describe('the API reference', () => {
  const calls = reference.groups.flatMap((group) => group.calls);

  it('has every operation of the OpenAPI document, once', () => {
    const document = JSON.parse(openapi) as { paths: Record<string, object> };
    const expected = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(calls.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(expected.sort());
    expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
  });

  it('shows the parameters and responses of an operation', () => {
    const create = calls.find(({ id }) => id === 'post-incident-create');
    expect(create?.credential).toBe('token');
    expect(create?.body.map(({ name }) => name)).toContain('occuredAt');
    const status = create?.body.find(({ name }) => name === 'status');
    expect(status?.type).toBe('INVESTIGATING | IDENTIFIED | MONITORING | RESOLVED');
    const components = create?.body.find(({ name }) => name === 'components');
    expect(components?.fields.map(({ name }) => name)).toEqual(['componentId', 'status']);
    expect(create?.responses.map((response) => response.status)).toEqual(['201']);
    expect(create?.responses[0]?.fields.map(({ name }) => name)).toContain('IncidentTimeline');
    expect(create?.failures).toContain('422');
  });

  it('has every field of a request that extends another, and says which are required', () => {
    const bodyOf = (id: string) => calls.find((call) => call.id === id)?.body ?? [];
    const subscribe = bodyOf('post-subscriber-public');
    expect(subscribe.find(({ name }) => name === 'orgId')?.isRequired).toBe(true);
    const create = bodyOf('post-component-create');
    expect(create.find(({ name }) => name === 'name')?.isRequired).toBe(true);
  });

  it('knows what may be null', () => {
    const read = calls.find(({ id }) => id === 'get-incident-id');
    const resolved = read?.responses[0]?.fields.find(({ name }) => name === 'resolvedAt');
    expect(resolved?.type).toBe('date-time or null');
  });
});
