import { useEffect } from 'react';
import { unstable_serialize, type Cache, type Key, type Middleware, type State } from 'swr';
import { unstable_serialize as serializePages, type SWRInfiniteKeyLoader } from 'swr/infinite';

export const unusedTtlMs = 5 * 60_000;

/**
 * Number of changes that wait for the end of a request. If there are more, the data is read again
 * in their place.
 */
export const maxWaitingChanges = 1000;

type CacheState = State<unknown>;

/** A cache for SWR that evicts entries five minutes after their last component was unmounted. */
export class QueryCache implements Cache<unknown> {
  readonly #entries = new Map<string, CacheState>();
  readonly #users = new Map<string, number>();
  readonly #expiries = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #afterReads = new Map<string, (() => void)[]>();

  keys(): IterableIterator<string> {
    return this.#entries.keys();
  }

  get(key: string): CacheState | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: CacheState): void {
    this.#entries.set(key, value);
    if (!this.#users.has(key)) this.#expireLater(key);
    if (!value.isValidating) this.#endRead(key);
  }

  delete(key: string): void {
    this.#entries.delete(key);
    this.#afterReads.delete(key);
    this.#stopExpiry(key);
  }

  /**
   * Calls `change` once the request for the entry that is under way has ended; false if
   * there is none. If more than `maxWaitingChanges` wait, calls `readAgain` in place of all
   * of them. A request for an entry that no component uses may never end for the cache: SWR
   * drops its response.
   */
  afterRead(key: string, change: () => void, readAgain: () => void): boolean {
    if (!this.isUsed(key) || this.#entries.get(key)?.isValidating !== true) return false;
    const callbacks = this.#afterReads.get(key) ?? [];
    if (callbacks.length < maxWaitingChanges) callbacks.push(change);
    else callbacks[maxWaitingChanges] = readAgain;
    this.#afterReads.set(key, callbacks);
    return true;
  }

  /** Forgets what waits for the end of a request. */
  forgetAfterRead(key: string): void {
    this.#afterReads.delete(key);
  }

  /** Keeps an entry until five minutes after the returned function is called. */
  retain(key: string): () => void {
    this.#users.set(key, (this.#users.get(key) ?? 0) + 1);
    this.#stopExpiry(key);
    return () => {
      const left = (this.#users.get(key) ?? 0) - 1;
      if (left > 0) {
        this.#users.set(key, left);
        return;
      }
      this.#users.delete(key);
      this.#expireLater(key);
    };
  }

  /** Whether a mounted component uses the entry. */
  isUsed(key: string): boolean {
    return this.#users.has(key);
  }

  /** Evicts the entries that no mounted component uses. */
  evictUnused(): void {
    for (const key of [...this.#entries.keys()]) {
      if (!this.isUsed(key)) this.delete(key);
    }
  }

  #endRead(key: string): void {
    const callbacks = this.#afterReads.get(key);
    if (callbacks === undefined) return;
    this.#afterReads.delete(key);
    const readAgain = callbacks[maxWaitingChanges];
    // SWR is still at work on the entry.
    queueMicrotask(readAgain ?? (() => callbacks.forEach((callback) => callback())));
  }

  #expireLater(key: string): void {
    this.#stopExpiry(key);
    this.#expiries.set(
      key,
      setTimeout(() => this.delete(key), unusedTtlMs),
    );
  }

  #stopExpiry(key: string): void {
    clearTimeout(this.#expiries.get(key));
    this.#expiries.delete(key);
  }
}

/** Retains the entry of every `useSWR` while its component is mounted. */
export function retainWhileMounted(cache: QueryCache): Middleware {
  return (useSWRNext) =>
    function useRetained(key, fetcher, config) {
      const name = entryName(key);
      useEffect(() => cache.retain(name), [name]);
      return useSWRNext(key, fetcher, config);
    };
}

/** Name of the entry of a key. A function is the page loader of `useSWRInfinite`. */
function entryName(key: Key): string {
  return typeof key === 'function'
    ? serializePages(key as SWRInfiniteKeyLoader)
    : unstable_serialize(key);
}
