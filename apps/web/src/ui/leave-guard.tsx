import { useRef } from 'react';
import { useBlocker } from 'react-router-dom';
import { ConfirmDialog } from './confirm-dialog';
import { useBeforeUnload } from './use-before-unload';

/** Asks before what was typed is left behind: by a link, by the back button, by closing the tab. One a page. */
export function LeaveGuard({ when }: { when: boolean }) {
  const blocker = useBlocker(when);
  const leaving = useRef(false);
  useBeforeUnload(when);

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
