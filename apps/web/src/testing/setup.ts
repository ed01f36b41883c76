import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import { toast } from '@/ui/toast';
import { FakeSocket } from './fake-socket';
import { forgetOpenRequests, server, takeUnexpectedCalls } from './server';

// Tests open no connections.
vi.mock('socket.io-client', () => import('./fake-socket'));

// The first rendering of a screen loads its code, which takes time on a busy machine.
configure({ asyncUtilTimeout: 8000 });

beforeAll(() => {
  server.listen({ onUnhandledRequest: 'error' });
});

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  toast.remove();
  server.resetHandlers();
  forgetOpenRequests();
  localStorage.clear();
  sessionStorage.clear();
  resetDocument();
  FakeSocket.all = [];
  expect(takeUnexpectedCalls(), 'calls that the test did not expect').toEqual([]);
});

afterAll(() => {
  server.close();
});

/** Empties the document and resets its address, because many test files share one window. */
function resetDocument(): void {
  document.body.replaceChildren();
  // The stylesheets stay: a module adds its own when the first file imports it.
  for (const element of document.head.querySelectorAll(':scope > :not([data-vite-dev-id])')) {
    element.remove();
  }
  for (const element of [document.documentElement, document.body]) {
    for (const name of element.getAttributeNames()) element.removeAttribute(name);
  }
  window.history.replaceState(null, '', '/');
}

// Radix needs these functions, which jsdom lacks.
class NoResizeObserver implements ResizeObserver {
  observe(): void {
    return undefined;
  }
  unobserve(): void {
    return undefined;
  }
  disconnect(): void {
    return undefined;
  }
}
window.ResizeObserver = NoResizeObserver;
window.matchMedia = (media) =>
  Object.assign(new EventTarget(), {
    media,
    matches: false,
    onchange: null,
    addListener: () => undefined,
    removeListener: () => undefined,
  });
window.scrollTo = () => undefined;
Element.prototype.hasPointerCapture = () => false;
Element.prototype.setPointerCapture = () => undefined;
Element.prototype.releasePointerCapture = () => undefined;
// Newer browsers return a promise, which the types of the DOM do not have.
Object.assign(Element.prototype, { scrollIntoView: () => Promise.resolve() });
