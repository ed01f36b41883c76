import { Alert } from './alert';
import { Button } from './button';

interface LoadFailureProps {
  /** What could not be done. */
  title: string;
  /** Why, fit to show to a person. */
  reason: string;
  onRetry: () => void;
}

/** Stands where something should be that could not be loaded. */
export function LoadFailure({ title, reason, onRetry }: LoadFailureProps) {
  return (
    <Alert kind="error" title={title} action={<Button onClick={onRetry}>Try Again</Button>}>
      {reason}
    </Alert>
  );
}
