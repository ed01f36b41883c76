import { useRef, type RefObject } from 'react';

/** What takes the focus after each open dialog. */
const goalsAfter = new WeakMap<Element, (Element | null)[]>();

/**
 * Gives the focus back to what had it before a dialog opened, or to `returnTo`. If that is gone or
 * disabled, like the button of a deleted row, the nearest list, table or card around it takes the
 * focus: elements with `tabIndex={-1}`. If the dialog around it is gone too, the focus goes to what
 * that dialog would give it back to. Radix gives the focus back only for dialogs that have a
 * trigger of their own.
 */
export function useReturnFocus(returnTo?: RefObject<HTMLElement | null>) {
  const opener = useRef<Element | null>(null);
  const around = useRef<(Element | null)[]>([]);
  return {
    onOpenAutoFocus: ({ target }: Event) => {
      opener.current = document.activeElement;
      const first = returnTo?.current ?? opener.current;
      around.current = focusableAround(first);
      goalsAfter.set(target as Element, [first, ...around.current]);
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

/**
 * The ancestors that can take the focus, nearest first, and those around the opener of a dialog
 * that is among them.
 */
function focusableAround(element: Element | null): (Element | null)[] {
  const nearest = element?.parentElement?.closest('[tabindex="-1"]');
  if (nearest) return [nearest, ...(goalsAfter.get(nearest) ?? focusableAround(nearest))];
  const main = document.querySelector('main');
  return main ? [main] : [];
}
