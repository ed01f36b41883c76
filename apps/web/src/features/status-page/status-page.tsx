import type { ReactNode } from 'react';
import type { StatusSnapshot } from '@/api/types';
import { FailedView, UnknownView } from './absent-view';
import { followEventStream, type Follow } from './event-stream';
import { LoadingView } from './loading-view';
import { StatusView } from './status-view';
import { useSnapshot } from './use-snapshot';

interface StatusPageProps {
  orgId: string;
  /** What came with the page; null for an unknown organisation. Left out, the server is asked for it. */
  snapshot?: StatusSnapshot | null;
  /** How it learns what changes: always the same function. */
  follow?: Follow;
  /** Buttons beside the organisation's name. */
  actions?: ReactNode;
}

/** Give it the organisation's id as its key: it begins anew with another one. */
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
      return <StatusView snapshot={loading.snapshot} follow={follow} actions={actions} />;
  }
}
