import { Alert } from './alert';
import { Button } from './button';
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

function RetryButton({ onRetry }: { onRetry: Retry }) {
  const [isPending, run] = usePending();
  return (
    <Button pending={isPending} onClick={() => run(onRetry)}>
      {isPending ? 'Trying again...' : 'Try Again'}
    </Button>
  );
}
