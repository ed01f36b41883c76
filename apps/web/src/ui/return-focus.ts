import { useRef, type RefObject } from 'react';

/**
 * Gives the focus back to what had it before a dialog opened, or to `returnTo`. Radix does so only for dialogs
 * that have a trigger of their own.
 */
export function useReturnFocus(returnTo?: RefObject<HTMLElement | null>) {
  const opener = useRef<Element | null>(null);
  return {
    onOpenAutoFocus: () => {
      opener.current = document.activeElement;
    },
    onCloseAutoFocus: (event: Event) => {
      const goal = returnTo?.current ?? opener.current;
      if (!(goal instanceof HTMLElement) || !goal.isConnected) return;
      event.preventDefault();
      goal.focus();
    },
  };
}
