import { Link, useLocation } from 'react-router-dom';
import { Alert } from './alert';
import { Button } from './button';
import { buttonVariants } from './button-variants';

interface LoadFailureProps {
  /** The failure. */
  title: string;
  /** Its reason. */
  reason: string;
  /** Absent inside a disabled fieldset, which would disable its button. The page can be reloaded then. */
  onRetry?: (() => void) | undefined;
}

/** Replaces content that could not be loaded. */
export function LoadFailure({ title, reason, onRetry }: LoadFailureProps) {
  const action = onRetry ? <Button onClick={onRetry}>Try Again</Button> : <ReloadLink />;
  return (
    <Alert kind="error" title={title} action={action}>
      {reason}
    </Alert>
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
