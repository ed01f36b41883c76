import { expect, it } from 'vitest';
import css from './base.css?raw';

const forced = css.split('@media (forced-colors: active) {')[1] ?? '';

it('marks what is selected and focused in another way than what is only selected', () => {
  expect(forced).toMatch(/\[aria-selected='true'\],[^{]*\{\s+outline: 2px solid Highlight;/);
  expect(forced).toMatch(/\[aria-selected='true'\]:focus-visible,[^{]*\{\s+outline: 3px double/);
});

it('scrolls what takes the focus out from behind the bars', () => {
  expect(css).toMatch(/:has\(\[data-top-bar\]\) \{\s+scroll-padding-top/);
  expect(css).toMatch(/:has\(\[data-bottom-bar\]\) \{\s+scroll-padding-bottom/);
});
