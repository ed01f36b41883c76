import { useId, useState } from 'react';
import useSWR from 'swr';
import { useApi } from './api-provider';
import type { Answer } from './client';
import { ApiError } from './error';
import { withRetries } from './retry';

export interface Edit<T> {
  /** What the form starts from; undefined until it has been read. It stays as it was read while somebody types. */
  loaded: T | undefined;
  error: ApiError | undefined;
  /** What somebody else saved in the meantime, once a save was refused because of it. */
  theirs: T | undefined;
  /** Saves on top of what was loaded; throws `ApiError`. */
  save: (body: unknown) => Promise<T>;
  /**
   * Goes on from the newest version after this screen itself has changed the item by another call. Where somebody
   * else has changed it too, it does not: `isOurs` says so, and the next save shows theirs.
   */
  follow: (isOurs: (loaded: T, newest: T) => boolean) => Promise<void>;
  /** Begins again from their version: `loaded` becomes it. */
  takeTheirs: () => void;
  /** Lets the next save replace their version. */
  keepMine: () => void;
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
  const [accepted, setAccepted] = useState<string | null>();
  const loaded = taken ?? first.data;

  async function save(body: unknown): Promise<T> {
    const ifMatch = accepted === undefined ? (loaded?.etag ?? null) : accepted;
    try {
      return (await api.patch<T>(path, body, { ifMatch })).data;
    } catch (error) {
      if (error instanceof ApiError && error.status === 412) setTheirs(await api.get<T>(path));
      throw error;
    }
  }

  async function follow(isOurs: (loaded: T, newest: T) => boolean) {
    const newest = await read();
    if (loaded === undefined || !isOurs(loaded.data, newest.data)) return;
    setTaken(newest);
    setAccepted(undefined);
  }

  return {
    loaded: loaded?.data,
    error: first.error,
    theirs: theirs?.data,
    save,
    follow,
    takeTheirs: () => {
      setTaken(theirs);
      setAccepted(theirs?.etag);
      setTheirs(undefined);
    },
    keepMine: () => {
      setAccepted(theirs?.etag);
      setTheirs(undefined);
    },
  };
}
