import { useLayoutEffect } from 'react';
import { Alert } from '@/ui/alert';
import { Button } from '@/ui/button';
import { LogoMark } from '@/ui/logo';
import { Spinner } from '@/ui/spinner';

/** What is seen until it is known who is there. */
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

/** Tries again by its button, and by itself once the network is back. */
export function StartFailureScreen({ message, onRetry }: StartFailureProps) {
  // It listens from the moment it is seen: the network may be back in the next.
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
