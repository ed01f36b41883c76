import { useEffect, useRef, type MouseEvent, type RefObject } from 'react';

type Region = RefObject<HTMLElement | null>;

/**
 * Moves the focus into the toasts and back. The returned function is called when a button dismisses its toast: the focus moves
 * to the next toast, or, after a press of the pointer, back. On a toast it would keep all of them from going away.
 */
export function useToasterFocus(region: Region) {
  const cameFrom = useFocusOrigin(region);
  useHotkey(region, cameFrom);
  useFocusBesideDialogs(region);

  return ({ currentTarget, detail }: MouseEvent<HTMLButtonElement>) => {
    if (document.activeElement !== currentTarget) return;
    const isPointer = detail > 0;
    const next = isPointer ? undefined : neighbourOf(currentTarget);
    if (next) next.focus();
    else leave(cameFrom.current);
  };
}

/** Returns what had the focus before it came into the region. */
function useFocusOrigin(region: Region) {
  const origin = useRef<Element | null>(null);
  useEffect(() => {
    const element = region.current;
    const enter = ({ relatedTarget }: FocusEvent) => {
      const isOutside = relatedTarget instanceof Element && !element?.contains(relatedTarget);
      if (isOutside) origin.current = relatedTarget;
    };
    element?.addEventListener('focusin', enter);
    return () => element?.removeEventListener('focusin', enter);
  }, [region]);
  return origin;
}

/** The button of the next toast that stays, or else of the one before. */
function neighbourOf(button: HTMLElement): HTMLElement | undefined {
  const toasts = button
    .closest('ol')
    ?.querySelectorAll<HTMLElement>('[data-leaving=false] > button');
  const buttons = [...(toasts ?? [])];
  const at = buttons.indexOf(button);
  return buttons[at + 1] ?? buttons[at - 1];
}

function useHotkey(region: Region, cameFrom: RefObject<Element | null>) {
  useEffect(() => {
    function listen(event: KeyboardEvent) {
      const inside = region.current?.contains(document.activeElement);
      if (event.altKey && event.code === 'KeyT') {
        event.preventDefault();
        if (!inside) cameFrom.current = document.activeElement;
        region.current?.focus();
      } else if (event.key === 'Escape' && inside) {
        // It would close a dialog.
        event.stopPropagation();
        leave(cameFrom.current);
      }
    }
    // Before Radix, which listens on the document.
    window.addEventListener('keydown', listen, true);
    return () => window.removeEventListener('keydown', listen, true);
  }, [region, cameFrom]);
}

/** The dialog on top, if one is open. */
function openDialog(): HTMLElement | undefined {
  const dialogs = document.querySelectorAll<HTMLElement>('[role=dialog], [role=alertdialog]');
  return [...dialogs].at(-1);
}

/** Returns the focus to its former element, or to the open dialog. */
function leave(goal: Element | null) {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  if (goal instanceof HTMLElement && goal.isConnected) goal.focus();
  else openDialog()?.focus();
}

/**
 * Lets the focus into the toasts while a dialog is open. Radix takes it back to the dialog by listeners on the document,
 * which these events do not reach; React's own are below.
 */
function useFocusBesideDialogs(region: Region) {
  useEffect(() => {
    const page = document.documentElement;
    const keep = (event: FocusEvent) => {
      const goal = event.type === 'focusin' ? event.target : event.relatedTarget;
      const isToasts = goal instanceof Node && region.current?.contains(goal);
      if (isToasts && openDialog()) event.stopPropagation();
    };
    page.addEventListener('focusin', keep);
    page.addEventListener('focusout', keep);
    return () => {
      page.removeEventListener('focusin', keep);
      page.removeEventListener('focusout', keep);
    };
  }, [region]);
}
