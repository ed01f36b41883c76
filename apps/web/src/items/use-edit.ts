import { useCallback, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useApi } from '@/api/api-provider';
import type { ApiResponse, Precondition } from '@/api/client';
import { ApiError, isNotFound } from '@/api/error';
import { withRetries } from '@/api/retry';
import { useFreshQuery, type ReadItem } from '@/api/use-fresh-query';
import { useDropOutdated } from './use-drop-outdated';

/*
 * Two users may edit an item at the same time. `useEdit` keeps the versions of the item, and the
 * form decides between them:
 *
 * 1. The form starts from `loaded`, and each save is based on it (`If-Match`).
 * 2. `refresh`, called for an event about the item, reads a newer version, and so does a save that
 *    found another version in place of `loaded` (412). The policy that the form has set by
 *    `setMergePolicy` decides about it.
 * 3. `adopt`: the newer version becomes `loaded`. `LiveUpdate` and `MergeRemoteVersion`
 *    (live-update.tsx) then put its values into the fields that the user has not typed
 *    into (rebase.ts).
 * 4. `conflict`: it becomes `remoteVersion`. The form shows the fields that both users have
 *    changed. The user takes its values or keeps the typed ones, and all other fields merge as in
 *    3; either way `acceptRemoteVersion` makes it `loaded`.
 */

/**
 * What a form does with a newer version: `adopt` it if the user has typed into no field
 * that it changes, show a `conflict` if they have, or `ignore` it during a save or an open
 * conflict (`useDecision`).
 */
export type MergeDecision = 'adopt' | 'conflict' | 'ignore';

/** `isRejected` is true for the version that a save found in place of `loaded`. */
type MergePolicy<T> = (newest: T, isRejected: boolean) => MergeDecision;

export interface Edit<T> {
  /**
   * The version that the form starts from and that a save is based on; undefined until it is read.
   */
  loaded: T | undefined;
  /**
   * The newest version that was read, also one that the form ignores: for what is not in the form.
   */
  newest: T | undefined;
  error: ApiError | undefined;
  /** Reads the first version again, after `error`. */
  retry: () => Promise<unknown>;
  /** A newer version of another user, which the form must not adopt before its user has seen it. */
  remoteVersion: T | undefined;
  /** Whether another user has deleted the item meanwhile. */
  isDeleted: boolean;
  /** Saves on top of `loaded`; throws `ApiError`. */
  save: (body: unknown) => Promise<T>;
  /** Sends another write on top of `loaded`, which its response replaces; throws `ApiError`. */
  write: (send: (on: Precondition) => Promise<ApiResponse<T>>) => Promise<T>;
  /**
   * Reads the newest version. The form decides whether it is adopted or becomes `remoteVersion`.
   */
  refresh: () => Promise<void>;
  /** Sets the form's decision about newer versions, until the returned function is called. */
  setMergePolicy: (decide: MergePolicy<T>) => () => void;
  /** Makes `remoteVersion`, which the user has seen, the version that the next save is based on. */
  acceptRemoteVersion: () => void;
}

/**
 * Reads an item (`path` is one of `endpoints`) for a form, and saves it only over the version that
 * was read.
 */
export function useEdit<T>(
  path: string,
  readItem: ReadItem<T> = (api, path) => api.get<T>(path),
): Edit<T> {
  const api = useApi();
  const first = useFreshQuery<T>(path, readItem);
  const readOnce = () => readItem(api, path);
  const [adopted, setAdopted] = useState<ApiResponse<T>>();
  const [remoteVersion, setRemoteVersion] = useState<ApiResponse<T>>();
  const [newest, setNewest] = useState<ApiResponse<T>>();
  const [isDeleted, setDeleted] = useState(false);
  const loaded = adopted ?? first.response;
  const { dropOutdated, dropPending } = useDropOutdated();
  // Without a form the user has typed nothing.
  const decide = useRef<MergePolicy<T>>(() => 'adopt');
  const isRejected = useRef(false);

  async function onLoaded(
    send: (on: Precondition) => Promise<ApiResponse<T>>,
  ): Promise<ApiResponse<T>> {
    try {
      return await send({ ifMatch: loaded?.etag ?? null });
    } catch (error) {
      if (isNotFound(error)) setDeleted(true);
      if (error instanceof ApiError && error.status === 412) await readRejecting();
      throw error;
    }
  }

  /** Reads the version that a save found in place of `loaded`. */
  async function readRejecting() {
    // The response to an event's read may arrive before this one. Its version counts as this one.
    isRejected.current = true;
    try {
      await readNewest(readOnce);
    } finally {
      isRejected.current = false;
    }
  }

  async function readNewest(readVersion: () => Promise<ApiResponse<T>>) {
    let version: ApiResponse<T> | undefined;
    try {
      version = await dropOutdated(readVersion);
    } catch (error) {
      if (isNotFound(error)) setDeleted(true);
      throw error;
    }
    if (version === undefined) return;
    setNewest(version);
    const decision = decide.current(version.data, isRejected.current);
    // Synchronous: text typed before the next rendering would belong to the older version.
    if (decision === 'adopt') {
      flushSync(() => {
        setAdopted(version);
        setRemoteVersion(undefined);
      });
    }
    if (decision === 'conflict') setRemoteVersion(version);
  }

  async function save(body: unknown): Promise<T> {
    return (await onLoaded((on) => api.patch<T>(path, body, on))).data;
  }

  async function write(send: (on: Precondition) => Promise<ApiResponse<T>>): Promise<T> {
    const written = await onLoaded(send);
    dropPending();
    setAdopted(written);
    setNewest(written);
    return written.data;
  }

  async function refresh() {
    // If the read fails, the next save is rejected with 412 and reads the newer version.
    await readNewest(() => withRetries(readOnce)).catch(() => undefined);
  }

  return {
    loaded: loaded?.data,
    newest: (newest ?? loaded)?.data,
    error: first.error,
    retry: first.refresh,
    remoteVersion: remoteVersion?.data,
    isDeleted,
    save,
    write,
    refresh,
    setMergePolicy: useCallback((decideNow) => {
      decide.current = decideNow;
      return () => {
        decide.current = () => 'ignore';
      };
    }, []),
    acceptRemoteVersion: () => {
      setAdopted(remoteVersion);
      setRemoteVersion(undefined);
    },
  };
}
