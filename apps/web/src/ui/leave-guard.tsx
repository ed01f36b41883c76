import { useRef } from 'react';
import { useBlocker } from 'react-router-dom';
import { ConfirmDialog } from './confirm-dialog';
import { holdsUnsaved } from './use-before-unload';

/**
 * Asks before what was typed, on the screen or in a dialog over it, is left behind by a link or by the back button. One
 * an app: a router has one such question. Forms say by `useBeforeUnload` that they hold something.
 */
export function LeaveGuard() {
  const blocker = useBlocker(holdsUnsaved);
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
