import { type ReactNode, useRef, useState } from 'react';
import { useBlocker } from 'react-router-dom';
import { ConfirmDialog } from './confirm-dialog';
import { hasUnsavedChanges } from './use-before-unload';

/**
 * Asks before a link or the back button leaves typed text, on the screen or in a dialog over it. An app has one,
 * because a router supports one such question. Forms report typed text by `useBeforeUnload`.
 */
export function LeaveGuard() {
  const blocker = useBlocker(hasUnsavedChanges);
  const leaving = useRef(false);

  return (
    <ConfirmDialog
      open={blocker.state === 'blocked'}
      onOpenChange={(open) => {
        if (!open && !leaving.current) blocker.reset?.();
        leaving.current = false;
      }}
      title="Leave without saving?"
      description="What you typed will be lost."
      confirmLabel="Leave"
      cancelLabel="Stay"
      onConfirm={() => {
        leaving.current = true;
        blocker.proceed?.();
      }}
    />
  );
}

interface LeaveQuestion {
  /** Calls `go` at once, or after a confirmation if there are unsaved changes. */
  leave: (go: () => void) => void;
  /** The dialog, which the caller renders. */
  question: ReactNode;
}

/** Asks before unsaved changes are lost without a navigation: by a switch of organisation or a sign-out. */
export function useConfirmLeave(): LeaveQuestion {
  const [going, setGoing] = useState<{ go: () => void } | null>(null);
  return {
    leave: (go) => (hasUnsavedChanges() ? setGoing({ go }) : go()),
    question: (
      <ConfirmDialog
        open={going !== null}
        onOpenChange={(open) => !open && setGoing(null)}
        title="Leave without saving?"
        description="What you typed will be lost."
        confirmLabel="Leave"
        cancelLabel="Stay"
        onConfirm={() => going?.go()}
      />
    ),
  };
}
