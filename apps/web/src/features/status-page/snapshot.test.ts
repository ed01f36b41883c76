import { expect, it } from 'vitest';
import { readSnapshot } from './snapshot';

function page(body: string): Document {
  return new DOMParser().parseFromString(body, 'text/html');
}

it('reads what the server wrote into the page', () => {
  const html = '<script type="application/json" id="snapshot">{"revision":7}</script>';
  expect(readSnapshot(page(html))).toEqual({ revision: 7 });
});

it('finds nothing on the page of an unknown organisation', () => {
  expect(readSnapshot(page('<!--allclear:snapshot-->'))).toBeNull();
});
