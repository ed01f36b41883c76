import { useEffect, useState, type ReactNode } from 'react';
import { LeaveDialog } from './leave-dialog';
import { hasUnsavedChanges, subscribe } from './unsaved-changes';

interface LeaveQuestion {
  /** Calls `go` at once, or after a confirmation or the save if there are unsaved changes. */
  leave: (go: () => void) => void;
  /** The dialog, which the caller renders. */
  question: ReactNode;
}

/**
 * Asks before unsaved changes are lost without a navigation: by a switch of organisation or
 * a sign-out.
 */
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
