import { useEffect, useRef } from 'react';
import { useBlocker } from 'react-router-dom';
import { LeaveDialog } from './leave-dialog';
import {
  cancelLeaving,
  hasUnsavedChanges,
  setNavigationWaiting,
  useUnsaved,
} from './unsaved-changes';

/**
 * Asks before a link or the back button leaves typed text or a secret, on the screen or in a dialog
 * over it. An app has one, because a router supports one such question. Forms report typed text by
 * `useUnsavedChanges`. If a save ends before the user has decided, the navigation goes on.
 */
export function LeaveGuard() {
  const blocker = useBlocker(hasUnsavedChanges);
  const unsaved = useUnsaved();
  const leaving = useRef(false);
  useEffect(() => {
    setNavigationWaiting(blocker.state !== 'unblocked');
    return () => setNavigationWaiting(false);
  }, [blocker.state]);
  useEffect(() => {
    if (blocker.state === 'blocked' && unsaved === 'nothing') blocker.proceed();
  }, [blocker, unsaved]);

  return (
    <LeaveDialog
      open={blocker.state === 'blocked'}
      onOpenChange={(open) => {
        if (!open && !leaving.current) {
          blocker.reset?.();
          cancelLeaving();
        }
        leaving.current = false;
      }}
      onConfirm={() => {
        leaving.current = true;
        blocker.proceed?.();
      }}
    />
  );
}
