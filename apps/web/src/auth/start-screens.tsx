import { useLayoutEffect } from 'react';
import { Alert } from '@/ui/alert';
import { Button } from '@/ui/button';
import { LogoMark } from '@/ui/logo';
import { Spinner } from '@/ui/spinner';

/** Shown until the session is known. */
export function StartingScreen() {
  return (
    <main className="grid min-h-dvh place-content-center justify-items-center gap-4 p-6">
      <LogoMark className="size-10" />
      <Spinner label="Loading..." />
    </main>
  );
}

interface StartFailureProps {
  message: string;
  onRetry: () => void;
}

/** Retries by its button, and when the network returns. */
export function StartFailureScreen({ message, onRetry }: StartFailureProps) {
  // A layout effect: the network may return right after the first paint.
  useLayoutEffect(() => {
    window.addEventListener('online', onRetry);
    return () => window.removeEventListener('online', onRetry);
  }, [onRetry]);

  return (
    <main className="grid min-h-dvh place-content-center justify-items-center gap-6 p-6">
      <LogoMark className="size-10" />
      <h1 className="sr-only">Allclear cannot start</h1>
      <Alert kind="error" className="max-w-md">
        {message}
      </Alert>
      <Button variant="primary" onClick={onRetry}>
        Try Again
      </Button>
    </main>
  );
}
