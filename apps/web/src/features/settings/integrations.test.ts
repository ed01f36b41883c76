import { expect, it } from 'vitest';
import { badgePath, badgeTexts, bannerScript, otherPublicAddress } from './integrations';

const status = { component: '', metric: 'status', style: 'flat', label: '' };
const url = 'https://status.example.com';

it('finds out that the browser has opened another address than the public one', () => {
  const page = { id: 'org-1', url: 'http://localhost:8080/status/org-1' };
  expect(otherPublicAddress(page, 'http://10.0.0.5:8080')).toBe('http://localhost:8080');
  expect(otherPublicAddress(page, 'http://localhost:8080')).toBeNull();
  const onDomain = { id: 'org-1', url: 'https://status.acme.example' };
  expect(otherPublicAddress(onDomain, 'http://localhost:8080')).toBeNull();
});

it('leaves the defaults out of the path of a badge', () => {
  expect(badgePath(status)).toBe('/badge.svg');
  expect(badgePath({ ...status, component: '0123456789ab', label: ' ' })).toBe(
    '/badge/0123456789ab.svg',
  );
  const chosen = { component: '0123456789ab', metric: '30', style: 'flat-square', label: 'A & B' };
  expect(badgePath(chosen)).toBe(
    '/badge/0123456789ab.svg?metric=uptime&days=30&style=flat-square&label=A+%26+B',
  );
});

it('escapes the texts to copy', () => {
  const texts = badgeTexts(url, '/badge.svg?style=flat-square&label=x', 'A "[b]" & <c>');
  expect(Object.fromEntries(texts)).toEqual({
    'Address of the badge': `${url}/badge.svg?style=flat-square&label=x`,
    Markdown: `[![Status of A "\\[b\\]" & <c>](${url}/badge.svg?style=flat-square&label=x)](${url})`,
    HTML: `<a href="${url}"><img src="${url}/badge.svg?style=flat-square&amp;label=x" alt="Status of A &quot;[b]&quot; &amp; &lt;c>"></a>`,
  });
});

it('names in the script of the banner what differs from its defaults', () => {
  expect(bannerScript(url, { always: false, position: '' })).toBe(
    `<script async src="${url}/embed.js"></script>`,
  );
  expect(bannerScript(url, { always: true, position: 'top-left' })).toBe(
    `<script async src="${url}/embed.js" data-show="always" data-position="top-left"></script>`,
  );
});
