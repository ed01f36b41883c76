import { useRef, type MouseEvent, type ReactNode } from 'react';
import { useConfirmLeave } from '@/ui/use-confirm-leave';
import { hasUnsavedChanges } from '@/ui/unsaved-changes';

interface LeaveQuestionProps {
  /** A menu of Clerk that signs out or switches the organisation. */
  children: ReactNode;
}

/**
 * Asks about unsaved changes before a menu of Clerk opens, because its entries cannot ask. Keys
 * that open the menu press its button, so they are clicks as well.
 */
export function LeaveQuestion({ children }: LeaveQuestionProps) {
  const { leave, question } = useConfirmLeave();
  const isConfirmed = useRef(false);

  function ask(event: MouseEvent) {
    const button = event.target instanceof Element && event.target.closest('button');
    if (!button || isConfirmed.current || !hasUnsavedChanges()) return;
    event.preventDefault();
    event.stopPropagation();
    const open = () => {
      isConfirmed.current = true;
      button.click();
      isConfirmed.current = false;
    };
    // Safari does not focus a button that is clicked. The question gives the focus back once it
    // is closed.
    button.focus();
    leave(() => button.addEventListener('focus', open, { once: true }));
  }

  return (
    <>
      <div onClickCapture={ask} className="contents">
        {children}
      </div>
      {/* Outside of the element, which would receive its clicks. */}
      {question}
    </>
  );
}
