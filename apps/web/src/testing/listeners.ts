import { onTestFinished, vi } from 'vitest';

/**
 * Removes the listeners of the window, the document and its body that a test adds, when the
 * test ends.
 */
export function removeListenersAfterTest(): void {
  const targets: EventTarget[] = [window, document, document.body];
  for (const target of targets) {
    const add = vi.spyOn(target, 'addEventListener');
    onTestFinished(() => {
      for (const args of add.mock.calls) target.removeEventListener(...args);
    });
  }
}
