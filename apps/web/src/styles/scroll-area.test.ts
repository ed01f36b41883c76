import { expect, it } from 'vitest';
import css from './scroll-area.css?raw';

it('hides the scrollbar 600 ms after the pointer has left', () => {
  expect(css).toMatch(/transition: scrollbar-color 0s 600ms/);
  expect(css).toMatch(/:hover[^}]*transition-delay: 0s/);
});
