import { useMemo } from 'react';
import { useSWRConfig, type ScopedMutator } from 'swr';
import { unstable_serialize } from 'swr/infinite';
import type { ApiResponse } from './client';
import type { ApiError } from './error';
import { pageSize } from './fetch-all-pages';
import type { ListChange } from './list-changes';
import { QueryCache } from './query-cache';

/**
 * Changes and refreshes cached lists: those of `useList`, and those that `useQuery` reads
 * as a whole.
 */
export class ListCache {
  readonly #cache: QueryCache;
  readonly #mutate: ScopedMutator;

  constructor(cache: QueryCache, mutate: ScopedMutator) {
    this.#cache = cache;
    this.#mutate = mutate;
  }

  /** Returns the cached paths that match. */
  matching(paths: RegExp): string[] {
    return [...this.#cache.keys()].filter((key) => paths.test(key));
  }

  /** Changes a cached list without a request, as an event says. */
  update<T>(path: string, change: ListChange<T>): void {
    this.#apply(path, unstable_serialize(pageKey(path)), () => this.#changePages(path, change));
    this.#apply(path, path, () => this.#changeWhole(path, change));
  }

  /**
   * Reads a list, with each query and as a whole, again after a save: now if it is on screen,
   * otherwise when it is shown the next time.
   */
  async refresh(path: string): Promise<void> {
    const keysOf = (list: string) =>
      [...this.#cache.keys()].filter(
        (key) => key === list || key.startsWith(`${list}${separatorAfter(path)}`),
      );
    const isOnScreen = (key: string) => this.#cache.isUsed(key);
    const entries = keysOf(path);
    const outdated = entries.filter((key) => !isOnScreen(key));
    // Reads nothing, as no component uses them. SWR forgets the last request, whose response it
    // would drop two seconds long.
    await Promise.all(outdated.map((key) => this.#mutate(key, undefined)));
    const shown = [...entries.filter(isOnScreen), ...keysOf(unstable_serialize(() => path))];
    await Promise.all(shown.map((key) => this.#mutate(key)));
  }

  /** Reads the matching paths again that are on screen. */
  refreshMatching(paths: RegExp): void {
    void this.#mutate((key) => typeof key === 'string' && paths.test(key));
  }

  /**
   * Evicts what is not on screen, and reads lists and matching paths again. Returns the
   * same as `readAgain`.
   */
  revalidate(lists: readonly string[], paths: RegExp): Promise<string[]> {
    this.#cache.evictUnused();
    return this.readAgain([
      ...lists.map((path) => unstable_serialize(pageKey(path))),
      ...this.matching(paths),
    ]);
  }

  /**
   * Reads keys again if they are on screen, lists with all their pages. Returns those that failed
   * for a reason that may pass.
   */
  async readAgain(keys: readonly string[]): Promise<string[]> {
    for (const key of keys) {
      // The new responses contain the changes that wait for older ones.
      this.#cache.forgetAfterRead(key);
      this.#forgetPages(key);
    }
    await Promise.all(keys.map((key) => this.#mutate(key)));
    return keys.filter((key) => (this.#cache.get(key)?.error as ApiError | undefined)?.isTransient);
  }

  /** Forgets the entries of a list's pages, from which SWR would take all but the first one. */
  #forgetPages(list: string): void {
    for (const key of [...this.#cache.keys()]) {
      if (unstable_serialize(() => key).startsWith(list)) this.#cache.delete(key);
    }
  }

  /** Changes one of the entries of a list. */
  #apply(path: string, key: string, change: () => void): void {
    // SWR drops the response of a request during which the data is changed, and the response may be
    // older than the change.
    if (this.#cache.afterRead(key, change, () => void this.refresh(path))) return;
    if (this.#cache.get(key)?.data !== undefined) change();
    else void this.#mutate(key);
  }

  #changePages<T>(path: string, change: ListChange<T>): void {
    const keyOf = pageKey(path);
    const listKey = unstable_serialize(keyOf);
    const list = this.#cache.get(listKey)?.data as ApiResponse<T[]>[] | undefined;
    if (list === undefined) return;
    const pages = change(list.map((page) => page.data));
    const responses = list.map((page, index) => ({ ...page, data: pages[index] ?? [] }));
    void this.#mutate(listKey, responses, { revalidate: false });
    // A later refresh takes the pages that it does not request from their own entries.
    responses.forEach((page, index) => {
      void this.#mutate(keyOf(index, responses[index - 1] ?? null), page, { revalidate: false });
    });
  }

  /** Changes the entry of `useQuery`. */
  #changeWhole<T>(path: string, change: ListChange<T>): void {
    const whole = this.#cache.get(path)?.data as ApiResponse<T[]> | undefined;
    if (whole === undefined) return;
    const data = change([whole.data]).flat();
    void this.#mutate(path, { ...whole, data }, { revalidate: false });
  }
}

/** The cached lists of the `ApiProvider` above. */
export function useListCache(): ListCache {
  const { cache, mutate } = useSWRConfig();
  return useMemo(() => {
    if (cache instanceof QueryCache) return new ListCache(cache, mutate);
    throw new Error('useListCache needs an ApiProvider above it');
  }, [cache, mutate]);
}

/** Keys of the pages of a list, for `useSWRInfinite`; null has none. */
export function pageKey(path: string | null) {
  return (index: number, previous: ApiResponse<unknown[]> | null): string | null => {
    if (path === null) return null;
    const first = `${path}${separatorAfter(path)}limit=${pageSize}`;
    if (index === 0 || previous === null) return first;
    if (previous.next === null) return null;
    return `${first}&before=${encodeURIComponent(previous.next)}`;
  };
}

/** What separates a further parameter from a path, which may have a query. */
function separatorAfter(path: string): '?' | '&' {
  return path.includes('?') ? '&' : '?';
}
