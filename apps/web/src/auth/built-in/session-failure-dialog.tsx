import { useCallback, useState } from 'react';
import { Alert } from '@/ui/alert';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';
import { failureText } from './form/failure-text';
import type { SessionStore } from './session-store';

interface Failure {
  message: string;
  retry: () => void;
}

/**
 * Returns `SessionStore.refresh` in a form that does not fail, and the failure that waits for the user. A refresh
 * follows a change on the server. If it failed, the change would look failed, and the user would repeat it.
 */
export function useRefresh(store: SessionStore) {
  const [failure, setFailure] = useState<Failure | null>(null);
  const refresh: SessionStore['refresh'] = useCallback(
    async (organisationId) => {
      for (;;) {
        try {
          await store.refresh(organisationId);
          return;
        } catch (error) {
          const message = failureText(error);
          await new Promise<void>((resolve) => {
            // Every refresh that has failed is tried again together.
            setFailure((other) => ({
              message,
              retry: () => {
                other?.retry();
                resolve();
              },
            }));
          });
          setFailure(null);
        }
      }
    },
    [store],
  );
  return [refresh, failure] as const;
}

/** Lets the user read the session again. What was typed below the dialog stays. */
export function SessionFailureDialog({ message, retry }: Failure) {
  return (
    <Dialog
      open
      title="The session could not be loaded"
      description="What you did need not be repeated. The page goes on once the session is loaded."
    >
      <Alert kind="error" action={<Button onClick={retry}>Try Again</Button>}>
        {message}
      </Alert>
    </Dialog>
  );
}
