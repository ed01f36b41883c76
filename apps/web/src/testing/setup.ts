import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import { toast } from '@/ui/toast';
import { FakeSocket } from './fake-socket';
import { server, takeUnexpectedCalls } from './server';

// No test opens a connection of its own.
vi.mock('socket.io-client', () => import('./fake-socket'));

// A screen's first rendering loads its code, which takes its time on a busy machine.
configure({ asyncUtilTimeout: 8000 });

beforeAll(() => {
  server.listen({ onUnhandledRequest: 'error' });
});

afterEach(() => {
  cleanup();
  toast.remove();
  server.resetHandlers();
  localStorage.clear();
  FakeSocket.all = [];
  expect(takeUnexpectedCalls(), 'calls that the test did not expect').toEqual([]);
});

afterAll(() => {
  server.close();
});

// What jsdom lacks and Radix asks for.
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
Element.prototype.scrollIntoView = () => undefined;
