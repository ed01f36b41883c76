import { Alert } from './alert';
import { Button } from './button';

interface LoadFailureProps {
  /** The failure. */
  title: string;
  /** Its reason. */
  reason: string;
  onRetry: () => void;
}

/** Replaces content that could not be loaded. */
export function LoadFailure({ title, reason, onRetry }: LoadFailureProps) {
  return (
    <Alert kind="error" title={title} action={<Button onClick={onRetry}>Try Again</Button>}>
      {reason}
    </Alert>
  );
}
