import { ConfirmDialog } from './confirm-dialog';
import { secretLost, useUnsaved, type Unsaved } from './unsaved-changes';

interface LeaveDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onConfirm: () => void;
}

const textQuestion = {
  title: 'Leave without saving?',
  description: 'Your changes will be lost.',
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

/** Asks whether unsaved changes may be lost. */
export function LeaveDialog(dialog: LeaveDialogProps) {
  return (
    <ConfirmDialog
      {...dialog}
      {...questions[useUnsaved()]}
      confirmLabel="Leave"
      cancelLabel="Stay"
    />
  );
}
