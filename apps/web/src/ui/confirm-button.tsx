import { useState, type ComponentProps, type ReactNode } from 'react';
import { ConfirmDialog } from './confirm-dialog';

interface ConfirmButtonProps extends Omit<
  ComponentProps<typeof ConfirmDialog>,
  'open' | 'onOpenChange'
> {
  /** The button that opens the question: `(ask) => <Button onClick={ask}>Delete</Button>`. */
  button: (ask: () => void) => ReactNode;
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
