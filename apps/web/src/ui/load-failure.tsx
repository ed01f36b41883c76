import { useState } from 'react';
import { Alert } from './alert';
import { Button } from './button';
import { timeOfDay } from './datetime';
import { usePending } from './use-pending';

type Retry = () => Promise<unknown>;

interface LoadFailureProps {
  /** The failure. */
  title: string;
  /** Its reason. */
  reason: string;
  /** Reads the content again. */
  onRetry: Retry;
}

/** Replaces content that could not be loaded. */
export function LoadFailure({ title, reason, onRetry }: LoadFailureProps) {
  return (
    <Alert kind="error" title={title} action={<RetryButton onRetry={onRetry} />}>
      {reason}
    </Alert>
  );
}

interface RefreshFailureProps {
  /** Reads the content again. */
  onRetry: Retry;
}

/** Stands above content that could not be read again. Mounted as long as that is so. */
export function RefreshFailure({ onRetry }: RefreshFailureProps) {
  const [failedAt] = useState(() => Date.now());
  return (
    <Alert kind="warning" title="Could not refresh" action={<RetryButton onRetry={onRetry} />}>
      Shown is the state before {timeOfDay(failedAt)}.
    </Alert>
  );
}

function RetryButton({ onRetry }: { onRetry: Retry }) {
  const [isPending, run] = usePending();
  return (
    <Button pending={isPending} onClick={() => run(onRetry)}>
      {isPending ? 'Trying again...' : 'Try Again'}
    </Button>
  );
}
