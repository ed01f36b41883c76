import { useState, type ReactNode } from 'react';
import { ConfirmDialog } from './confirm-dialog';

interface ConfirmButtonProps {
  /** The button that asks: `(ask) => <Button onClick={ask}>Delete</Button>`. */
  button: (ask: () => void) => ReactNode;
  title: string;
  description: ReactNode;
  confirmLabel: string;
  cancelLabel?: string;
  /** Does it, and tells about failure by itself. */
  onConfirm: () => Promise<void>;
}

/** A button whose action is asked about first. */
export function ConfirmButton({ button, ...question }: ConfirmButtonProps) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      {button(() => setAsking(true))}
      <ConfirmDialog open={asking} onOpenChange={setAsking} {...question} />
    </>
  );
}
