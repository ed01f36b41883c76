import {
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  type RefObject,
} from 'react';

/** Moves the focus to the toasts and back. Returns the function that moves it back. */
export function useHotkey(region: RefObject<HTMLElement | null>): () => void {
  const cameFrom = useRef<Element | null>(null);
  const returnFocus = useCallback(() => leave(cameFrom.current), []);

  // It may come by Tab or a press as well.
  useEffect(() => {
    const element = region.current;
    const remember = ({ relatedTarget: other }: FocusEvent) => {
      if (other instanceof Node && element?.contains(other)) return;
      cameFrom.current = other instanceof Element ? other : null;
    };
    element?.addEventListener('focusin', remember);
    return () => element?.removeEventListener('focusin', remember);
  }, [region]);

  useEffect(() => {
    function listen(event: KeyboardEvent) {
      const inside = region.current?.contains(document.activeElement);
      const { altKey, ctrlKey, metaKey, shiftKey } = event;
      // AltGr, which types letters, is Ctrl and Alt in some browsers.
      if (altKey && !ctrlKey && !metaKey && !shiftKey && event.code === 'KeyT') {
        event.preventDefault();
        if (!inside) cameFrom.current = document.activeElement;
        region.current?.focus();
      } else if (event.key === 'Escape' && inside) {
        // It would close a dialog.
        event.stopPropagation();
        returnFocus();
      }
    }
    // Before Radix, which listens on the document.
    window.addEventListener('keydown', listen, true);
    return () => window.removeEventListener('keydown', listen, true);
  }, [region, returnFocus]);

  return returnFocus;
}

/** The dialog on top, if one is open. */
function openDialog(): HTMLElement | undefined {
  const dialogs = document.querySelectorAll<HTMLElement>('[role=dialog], [role=alertdialog]');
  return [...dialogs].at(-1);
}

/** Returns the focus to its former element, or to the open dialog. */
function leave(goal: Element | null) {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  // A press may have scrolled away from it.
  if (goal instanceof HTMLElement && goal.isConnected) goal.focus({ preventScroll: true });
  else openDialog()?.focus();
}

/**
 * Lets the focus into the toasts while a dialog is open. Radix takes it back to the dialog by
 * listeners on the document, which these events do not reach; React's own are below.
 */
export function useFocusBesideDialogs(region: RefObject<HTMLElement | null>) {
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

interface Pausable {
  startPause: () => void;
  endPause: () => void;
}

/** Pauses the toasts' timers while the pointer or the focus is on one of them. */
export function usePauseWhileAttended(
  region: RefObject<HTMLElement | null>,
  { startPause, endPause }: Pausable,
) {
  const isPaused = useRef(false);
  const hovered = useRef<EventTarget | null>(null);
  const focused = useRef<EventTarget | null>(null);
  const update = useEffectEvent(() => {
    const isAttended = [hovered.current, focused.current].some(
      (element) => element instanceof Node && region.current?.contains(element),
    );
    if (isAttended === isPaused.current) return;
    isPaused.current = isAttended;
    if (isAttended) startPause();
    else endPause();
  });
  useEffect(() => {
    // Not `mouseleave` of the toasts: it may be missing after one under the pointer was removed.
    const follow = ({ type, target }: Event) => {
      if (type.startsWith('mouse')) hovered.current = target;
      else focused.current = type === 'focusin' ? target : null;
      update();
    };
    const page = document.documentElement;
    const names = ['mouseover', 'mouseleave', 'focusin', 'focusout'];
    for (const name of names) page.addEventListener(name, follow);
    return () => {
      for (const name of names) page.removeEventListener(name, follow);
    };
  }, []);
  // The toast under the pointer may have been removed since the last event.
  useEffect(() => update());

  // The package stores the pause outside of the component, where it would stop the timers of the
  // next toaster.
  const resume = useEffectEvent(endPause);
  useEffect(() => () => resume(), []);
}

/**
 * Returns the focus before a toast that has it is removed. Browsers would drop the focus without an
 * event, so that the pause would not end.
 */
export function useReturnFocus(item: RefObject<HTMLElement | null>, returnFocus: () => void) {
  useLayoutEffect(() => {
    const element = item.current;
    return () => {
      if (element?.contains(document.activeElement)) returnFocus();
    };
  }, [item, returnFocus]);
}
