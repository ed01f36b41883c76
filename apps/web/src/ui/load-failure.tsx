import { Link, useLocation } from 'react-router-dom';
import { Alert } from './alert';
import { Button } from './button';
import { buttonVariants } from './button-variants';
import { usePending } from './use-pending';

type Retry = () => Promise<unknown>;

interface LoadFailureProps {
  /** The failure. */
  title: string;
  /** Its reason. */
  reason: string;
  /** Reads the content again. Absent inside a disabled fieldset, which would disable its button. The page can be reloaded then. */
  onRetry?: Retry | undefined;
}

/** Replaces content that could not be loaded. */
export function LoadFailure({ title, reason, onRetry }: LoadFailureProps) {
  const action = onRetry ? <RetryButton onRetry={onRetry} /> : <ReloadLink />;
  return (
    <Alert kind="error" title={title} action={action}>
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

function ReloadLink() {
  const { pathname, search } = useLocation();
  return (
    <Link reloadDocument to={{ pathname, search }} className={buttonVariants()}>
      Reload Page
    </Link>
  );
}
