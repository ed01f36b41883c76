import { expect, it } from 'vitest';
import { badgePath, badgeTexts, bannerScript } from './integrations';

const status = { component: '', metric: 'status', style: 'flat', label: '' };
const url = 'https://status.example.com';

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
