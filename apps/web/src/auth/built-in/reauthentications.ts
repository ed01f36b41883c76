import type { Confirmation, Reauthenticate } from '@/api/client';

interface Pending {
  needed: Confirmation;
  promise: Promise<boolean>;
  settle: (done: boolean) => void;
}

/**
 * Confirmations that the server requires of the user. Concurrent requests share one confirmation.
 */
export class Reauthentications {
  readonly #listeners = new Set<() => void>();
  #pending: Pending | null = null;

  /** What the user is being asked for; null if nothing. */
  readonly needed = (): Confirmation | null => this.#pending?.needed ?? null;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly request: Reauthenticate = (needed) => {
    if (this.#pending === null) {
      let settle: (done: boolean) => void = () => undefined;
      const promise = new Promise<boolean>((resolve) => {
        settle = resolve;
      });
      this.#pending = { needed, promise, settle };
      this.#notify();
    }
    return this.#pending.promise;
  };

  readonly settle = (done: boolean): void => {
    this.#pending?.settle(done);
    this.#pending = null;
    this.#notify();
  };

  #notify(): void {
    this.#listeners.forEach((listener) => listener());
  }
}
