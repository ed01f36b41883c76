import { useCallback, useState } from 'react';
import { Alert } from '@/ui/alert';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';
import { failureText } from './form/failure-text';
import type { SessionStore } from './session-store';

interface Failure {
  message: string;
  /** Reads the session again, or goes on with the shown state. */
  settle: (isRetried: boolean) => void;
}

/**
 * Returns `SessionStore.refresh` in a form that does not fail, and the failure that waits for the
 * user. A refresh follows a change on the server. If it failed, the change would look failed, and
 * the user would repeat it.
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
          const isRetried = await new Promise<boolean>((resolve) => {
            // Every refresh that has failed is settled together.
            setFailure((other) => ({
              message,
              settle: (choice) => {
                other?.settle(choice);
                resolve(choice);
              },
            }));
          });
          setFailure(null);
          if (!isRetried) return;
        }
      }
    },
    [store],
  );
  return [refresh, failure] as const;
}

/**
 * Lets the user read the session again, or go back to the screen with what was typed. A later
 * request notices what changed.
 */
export function SessionFailureDialog({ message, settle }: Failure) {
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && settle(false)}
      title="The session could not be loaded"
      description="What you did need not be repeated. The page goes on once the session is loaded."
    >
      <Alert kind="error" action={<Button onClick={() => settle(true)}>Try Again</Button>}>
        {message}
      </Alert>
    </Dialog>
  );
}
