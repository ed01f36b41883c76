import { afterEach, expect, it } from 'vitest';
import { rememberGroups } from './group-choice';

const end = new AbortController();
afterEach(() => end.abort());

function toggle(group: HTMLDetailsElement | null, open: boolean): void {
  if (!group) throw new Error('There is no group');
  group.open = open;
  group.dispatchEvent(new Event('toggle'));
}

it('stores what the visitor opens and closes, and not how the page was drawn', () => {
  document.body.innerHTML =
    '<details data-group="a" open></details><details data-group="b"></details><details class="feeds"></details>';
  rememberGroups(document, end.signal);
  const [a, b, feeds] = document.querySelectorAll('details');
  toggle(a ?? null, true);
  toggle(feeds ?? null, true);
  expect(localStorage.getItem('allclear:groups')).toBeNull();
  toggle(a ?? null, false);
  toggle(b ?? null, true);
  expect(localStorage.getItem('allclear:groups')).toBe('{"a":false,"b":true}');
});
