import { useState, type ReactNode } from 'react';
import { ConfirmDialog } from './confirm-dialog';

interface ConfirmButtonProps {
  /** The button that opens the question: `(ask) => <Button onClick={ask}>Delete</Button>`. */
  button: (ask: () => void) => ReactNode;
  title: string;
  description: ReactNode;
  confirmLabel: string;
  cancelLabel?: string;
  /** Performs the action and shows its failure. */
  onConfirm: () => Promise<void>;
}

/** A button with a question before its action. */
export function ConfirmButton({ button, ...question }: ConfirmButtonProps) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      {button(() => setAsking(true))}
      <ConfirmDialog open={asking} onOpenChange={setAsking} {...question} />
    </>
  );
}
