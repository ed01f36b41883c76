import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useBlocker } from 'react-router-dom';
import { ConfirmDialog } from './confirm-dialog';
import {
  cancelLeaving,
  hasUnsavedChanges,
  secretLost,
  setNavigationWaiting,
  subscribe,
  useUnsaved,
  type Unsaved,
} from './unsaved-changes';

/**
 * Asks before a link or the back button leaves typed text or a secret, on the screen or in a dialog over it. An app has one,
 * because a router supports one such question. Forms report typed text by `useUnsavedChanges`. If a save ends before
 * the user has decided, the navigation goes on.
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

interface LeaveQuestion {
  /** Calls `go` at once, or after a confirmation or the save if there are unsaved changes. */
  leave: (go: () => void) => void;
  /** The dialog, which the caller renders. */
  question: ReactNode;
}

/** Asks before unsaved changes are lost without a navigation: by a switch of organisation or a sign-out. */
export function useConfirmLeave(): LeaveQuestion {
  const [going, setGoing] = useState<{ go: () => void } | null>(null);
  useEffect(() => {
    if (going === null) return;
    const unsubscribe = subscribe(() => {
      if (hasUnsavedChanges()) return;
      unsubscribe();
      setGoing(null);
      going.go();
    });
    return unsubscribe;
  }, [going]);

  return {
    // `go` may remove the form, which must not call it again.
    leave: (go) => (hasUnsavedChanges() ? setGoing({ go: once(go) }) : go()),
    question: (
      <LeaveDialog
        open={going !== null}
        onOpenChange={(open) => !open && setGoing(null)}
        onConfirm={() => going?.go()}
      />
    ),
  };
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}

interface LeaveDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onConfirm: () => void;
}

const textQuestion = {
  title: 'Leave without saving?',
  description: 'What you typed will be lost.',
};

const questions: Record<Unsaved, { title: string; description: string }> = {
  // While the dialog closes.
  nothing: textQuestion,
  typed: textQuestion,
  saving: {
    title: 'Leave while it is being saved?',
    description: 'You will not see whether it succeeds.',
  },
  secret: { title: 'Leave without a copy?', description: secretLost },
};

function LeaveDialog(dialog: LeaveDialogProps) {
  return (
    <ConfirmDialog
      {...dialog}
      {...questions[useUnsaved()]}
      confirmLabel="Leave"
      cancelLabel="Stay"
    />
  );
}
