import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import { toast } from '@/ui/toast';
import { FakeSocket } from './fake-socket';
import { server, takeUnexpectedCalls } from './server';

// Tests open no connections.
vi.mock('socket.io-client', () => import('./fake-socket'));

// The first rendering of a screen loads its code, which takes time on a busy machine.
configure({ asyncUtilTimeout: 8000 });

beforeAll(() => {
  server.listen({ onUnhandledRequest: 'error' });
});

afterEach(() => {
  cleanup();
  toast.remove();
  server.resetHandlers();
  localStorage.clear();
  sessionStorage.clear();
  FakeSocket.all = [];
  expect(takeUnexpectedCalls(), 'calls that the test did not expect').toEqual([]);
});

afterAll(() => {
  server.close();
});

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
Element.prototype.scrollIntoView = () => undefined;
