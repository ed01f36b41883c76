import { useEffect, useState } from 'react';
import { ApiError } from '@/api/error';
import { withRetries } from '@/api/retry';
import type { StatusSnapshot } from '@/api/types';
import { fetchSnapshot } from './snapshot';

export type Loading =
  | { status: 'loading' }
  | { status: 'unknown' }
  | { status: 'failed'; message: string }
  | { status: 'loaded'; snapshot: StatusSnapshot };

/**
 * The state to begin with: the one that came with the page (null: there is no such organisation), or, where none could
 * come with it (undefined), the one that the server is asked for.
 */
export function useSnapshot(
  orgId: string,
  given: StatusSnapshot | null | undefined,
): [Loading, retry: () => void] {
  const [loading, setLoading] = useState<Loading>(() => begin(given));
  const isLoading = loading.status === 'loading';
  useEffect(() => {
    if (!isLoading) return;
    const left = new AbortController();
    withRetries(() => fetchSnapshot(orgId, null, left.signal)).then(
      (snapshot) => left.signal.aborted || setLoading(begin(snapshot)),
      (error: unknown) => left.signal.aborted || setLoading(failure(error)),
    );
    return () => left.abort();
  }, [orgId, isLoading]);
  return [loading, () => setLoading({ status: 'loading' })];
}

function begin(given: StatusSnapshot | null | undefined): Loading {
  if (given === undefined) return { status: 'loading' };
  return given === null ? { status: 'unknown' } : { status: 'loaded', snapshot: given };
}

function failure(error: unknown): Loading {
  if (!(error instanceof ApiError)) return { status: 'failed', message: 'Something went wrong.' };
  return error.status === 404
    ? { status: 'unknown' }
    : { status: 'failed', message: error.message };
}
