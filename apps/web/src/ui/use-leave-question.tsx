import { useState, type ReactNode } from 'react';
import { ConfirmDialog } from './confirm-dialog';
import { holdsUnsaved } from './use-before-unload';

interface LeaveQuestion {
  /** Goes at once where nothing is lost, else once that is confirmed. */
  leave: (go: () => void) => void;
  /** To be rendered by whoever asks. */
  question: ReactNode;
}

/** For what takes the whole page away without a navigation: another organisation, signing out. */
export function useLeaveQuestion(): LeaveQuestion {
  const [going, setGoing] = useState<{ go: () => void } | null>(null);
  return {
    leave: (go) => (holdsUnsaved() ? setGoing({ go }) : go()),
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
