import { createEvent, fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderScreen } from '@/testing/render';
import { Prose } from './prose';

/** Presses a link in a text. Returns whether the browser follows it, and the router's path. */
function press(href: string, attributes = '', init: MouseEventInit = {}) {
  const { router } = renderScreen(<Prose html={`<a href="${href}" ${attributes}>Link</a>`} />);
  const link = screen.getByRole('link', { name: 'Link' });
  const click = createEvent.click(link, { button: 0, ...init });
  // jsdom cannot follow links. Its document receives the event last.
  let followed = false;
  const observe = (event: Event) => {
    followed = !event.defaultPrevented;
    event.preventDefault();
  };
  document.addEventListener('click', observe, { once: true });
  fireEvent(link, click);
  return { followed, path: () => router.state.location.pathname };
}

it.each([
  '/docs/subscribers',
  '/docs/decisions/passkeys',
  '/status/org-1',
  '/incidents?status=OPEN',
])('navigates to the screen %s', async (href) => {
  const { followed, path } = press(href);
  expect(followed).toBe(false);
  await waitFor(() => expect(path()).toBe(href.split('?')[0]));
});

it.each([
  '/status/org-1/incidents/abc',
  '/status/org-1/history',
  '/status/org-1/uptime',
  '/status/org-1/history.atom',
  '/api/v1/openapi.json',
  '/discord',
  'https://example.com/docs/subscribers',
])('leaves %s to the browser', (href) => {
  const { followed, path } = press(href);
  expect(followed).toBe(true);
  expect(path()).toBe('/');
});

it.each([
  ['a target', 'target="_blank"', {}],
  ['a download', 'download', {}],
  ['Ctrl', '', { ctrlKey: true }],
  ['Alt', '', { altKey: true }],
])('leaves a link with %s to the browser', (_, attributes, init) => {
  expect(press('/docs/subscribers', attributes, init).followed).toBe(true);
});
