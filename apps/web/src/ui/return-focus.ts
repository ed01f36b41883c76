import { useRef, type RefObject } from 'react';

/**
 * Gives the focus back to what had it before a dialog opened, or to `returnTo`. If that is gone or disabled, like the
 * button of a deleted row, the nearest list, table or card around it takes the focus: elements with `tabIndex={-1}`.
 * Radix gives the focus back only for dialogs that have a trigger of their own.
 */
export function useReturnFocus(returnTo?: RefObject<HTMLElement | null>) {
  const opener = useRef<Element | null>(null);
  const around = useRef<Element[]>([]);
  return {
    onOpenAutoFocus: () => {
      opener.current = document.activeElement;
      around.current = focusableAround(returnTo?.current ?? opener.current);
    },
    onCloseAutoFocus: (event: Event) => {
      const goals = [returnTo?.current ?? opener.current, ...around.current];
      const goal = goals.find((element) => element?.isConnected && !element.matches(':disabled'));
      if (!(goal instanceof HTMLElement)) return;
      event.preventDefault();
      goal.focus({ preventScroll: goal !== goals[0] });
    },
  };
}

/** The ancestors that can take the focus, nearest first. */
function focusableAround(element: Element | null): Element[] {
  const nearest = element?.parentElement?.closest('[tabindex="-1"]');
  if (nearest) return [nearest, ...focusableAround(nearest)];
  const main = document.querySelector('main');
  return main ? [main] : [];
}
