import { type ReactNode, useEffect, useState } from 'react';
import { ApiError } from '@/api/error';
import { withRetries } from '@/api/retry';
import { Skeleton } from '@/ui/skeleton';
import { FailedView, UnknownView } from './absent-view';
import { type Follow, followEventStream } from './event-stream';
import { PageFrame } from './page-frame';
import type { PageState } from './page-state';
import { fetchSnapshot } from './snapshot';
import { throwApiError } from './snapshot-error';
import { StatusView } from './status-view';

interface StatusPageProps {
  orgId: string;
  /**
   * The embedded snapshot; null for an unknown organisation. If it is undefined, it is requested.
   */
  snapshot?: PageState | null;
  /** Must always be the same function. */
  follow?: Follow;
  /** Buttons beside the organisation's name. */
  actions?: ReactNode;
}

/** Needs the organisation's id as its key. */
export function StatusPage({
  orgId,
  snapshot,
  follow = followEventStream,
  actions,
}: StatusPageProps) {
  const [loading, retry] = useSnapshot(orgId, snapshot);
  switch (loading.status) {
    case 'loading':
      return <LoadingView />;
    case 'unknown':
      return <UnknownView />;
    case 'failed':
      return <FailedView message={loading.message} onRetry={retry} />;
    case 'loaded':
      return (
        <StatusView
          snapshot={loading.snapshot}
          follow={follow}
          fetchSnapshot={fetchSnapshot}
          actions={actions}
        />
      );
  }
}

/** Placeholder until the first snapshot. */
function LoadingView() {
  return (
    <PageFrame
      heading={
        <h1 className="title">
          <span className="sr-only">Loading the status page</span>
          <Skeleton className="h-8 w-56 max-w-full sm:h-9.5" />
        </h1>
      }
    >
      <div aria-busy className="grid gap-8">
        <Skeleton className="h-22 rounded-xl" />
        <Skeleton className="h-7 w-36" />
        <Skeleton className="h-48 rounded-lg" />
      </div>
    </PageFrame>
  );
}

type Loading =
  | { status: 'loading' }
  | { status: 'unknown' }
  | { status: 'failed'; message: string }
  | { status: 'loaded'; snapshot: PageState };

/**
 * The first state: the one that came with the page (null for an unknown organisation) or, if none
 * came (undefined), one that is requested.
 */
function useSnapshot(
  orgId: string,
  given: PageState | null | undefined,
): [Loading, retry: () => void] {
  const [loading, setLoading] = useState<Loading>(() => begin(given));
  const isLoading = loading.status === 'loading';
  useEffect(() => {
    if (!isLoading) return;
    const left = new AbortController();
    withRetries(() => fetchSnapshot(orgId, null, left.signal).catch(throwApiError)).then(
      (snapshot) => left.signal.aborted || setLoading(begin(snapshot)),
      (error: unknown) => left.signal.aborted || setLoading(failure(error)),
    );
    return () => left.abort();
  }, [orgId, isLoading]);
  return [loading, () => setLoading({ status: 'loading' })];
}

function begin(given: PageState | null | undefined): Loading {
  if (given === undefined) return { status: 'loading' };
  return given === null ? { status: 'unknown' } : { status: 'loaded', snapshot: given };
}

function failure(error: unknown): Loading {
  if (!(error instanceof ApiError)) return { status: 'failed', message: 'Something went wrong.' };
  return error.status === 404
    ? { status: 'unknown' }
    : { status: 'failed', message: error.message };
}
