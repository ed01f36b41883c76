import { useCallback, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import useSWR from 'swr';
import { useApi } from './api-provider';
import type { Answer } from './client';
import { ApiError } from './error';
import { withRetries } from './retry';

/**
 * What a form says of a version that has just been read: `adopt` if nothing typed is about what changed, `conflict`
 * if something is, `ignore` while a save or an open conflict settles it anyway.
 */
export type Fit = 'adopt' | 'conflict' | 'ignore';

export interface Edit<T> {
  /** What the form starts from; undefined until it has been read. It is the version that a save is made on. */
  loaded: T | undefined;
  error: ApiError | undefined;
  /** A version that somebody else saved in the meantime, while the form must not adopt it unseen. */
  theirs: T | undefined;
  /** Saves on top of what was loaded; throws `ApiError`. */
  save: (body: unknown) => Promise<T>;
  /** Reads the newest version after the item has changed, and adopts it or shows it as `theirs`, as the form decides. */
  follow: () => Promise<void>;
  /** Sets what decides about a version that `follow` has read, until the returned function is called. */
  decideBy: (fit: (newest: T) => Fit) => () => void;
  /** Makes `theirs`, which has been shown, the version that the next save is made on. */
  acceptTheirs: () => void;
}

/** Reads an item anew for a form (`path` is one of `calls`), and saves it only over the version that was read. */
export function useEdit<T>(path: string): Edit<T> {
  const api = useApi();
  const visit = useId();
  const read = () => withRetries(() => api.get<T>(path));
  // Of this visit alone: a form must not start from what the cache remembers of an earlier one.
  const first = useSWR<Answer<T>, ApiError>([path, visit], read, { revalidateOnReconnect: false });
  const [taken, setTaken] = useState<Answer<T>>();
  const [theirs, setTheirs] = useState<Answer<T>>();
  const loaded = taken ?? first.data;
  const inOrder = useInOrder();
  // Without a form nobody has seen anything.
  const fit = useRef<(newest: T) => Fit>(() => 'conflict');

  async function save(body: unknown): Promise<T> {
    try {
      return (await api.patch<T>(path, body, { ifMatch: loaded?.etag ?? null })).data;
    } catch (error) {
      if (error instanceof ApiError && error.status === 412) {
        const newest = await inOrder(() => api.get<T>(path));
        if (newest) setTheirs(newest);
      }
      throw error;
    }
  }

  async function follow() {
    // If it cannot be read, the next save is refused because of it, and shows it then.
    const newest = await inOrder(read).catch(() => undefined);
    if (newest === undefined) return;
    const decision = fit.current(newest.data);
    // At once: what is typed before the next rendering would be on top of a version that was not there.
    if (decision === 'adopt') flushSync(() => setTaken(newest));
    if (decision === 'conflict') setTheirs(newest);
  }

  return {
    loaded: loaded?.data,
    error: first.error,
    theirs: theirs?.data,
    save,
    follow,
    decideBy: useCallback((decide) => {
      fit.current = decide;
      return () => {
        fit.current = () => 'ignore';
      };
    }, []),
    acceptTheirs: () => {
      setTaken(theirs);
      setTheirs(undefined);
    },
  };
}

/** Drops the response to a read after that to a later one: it may hold an older version. */
function useInOrder() {
  const started = useRef(0);
  const newest = useRef(0);
  return async function inOrder<R>(read: () => Promise<R>): Promise<R | undefined> {
    started.current += 1;
    const mine = started.current;
    const response = await read();
    if (mine < newest.current) return undefined;
    newest.current = mine;
    return response;
  };
}
