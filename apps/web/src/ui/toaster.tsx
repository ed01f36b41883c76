import { CircleCheck, Info, OctagonX, X } from 'lucide-react';
import {
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  type RefObject,
} from 'react';
import { resolveValue, toast, useToaster, type Toast } from 'react-hot-toast/headless';
import { Button } from './button';
import { Spinner } from './spinner';
import { useSwipe } from './use-swipe';

const durationMs = 4000;
const visibleAtMost = 3;
const removalMs = 200;

const toastOptions = {
  duration: durationMs,
  removeDelay: removalMs,
};

/** Shows the toasts, newest at the bottom. Alt+T moves the focus to them, Esc returns it. */
export function Toaster() {
  const { toasts, handlers } = useToaster({
    ...toastOptions,
    success: toastOptions,
    error: toastOptions,
  });
  const region = useRef<HTMLElement>(null);
  const returnFocus = useHotkey(region);
  useFocusBesideDialogs(region);
  usePauseWhileAttended(region, handlers);

  return (
    <section
      ref={region}
      aria-label="Notifications (Alt+T)"
      tabIndex={-1}
      data-toaster
      className="toaster"
    >
      <ol aria-live="polite" aria-relevant="additions text">
        {toasts.slice(0, visibleAtMost).map((item) => (
          <ToastItem key={item.id} item={item} returnFocus={returnFocus} />
        ))}
      </ol>
    </section>
  );
}

/** Moves the focus to the toasts and back. Returns the function that moves it back. */
function useHotkey(region: RefObject<HTMLElement | null>): () => void {
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
function useFocusBesideDialogs(region: RefObject<HTMLElement | null>) {
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
function usePauseWhileAttended(
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
function useReturnFocus(item: RefObject<HTMLElement | null>, returnFocus: () => void) {
  useLayoutEffect(() => {
    const element = item.current;
    return () => {
      if (element?.contains(document.activeElement)) returnFocus();
    };
  }, [item, returnFocus]);
}

interface ToastItemProps {
  item: Toast;
  returnFocus: () => void;
}

function ToastItem({ item, returnFocus }: ToastItemProps) {
  const { offset, handlers } = useSwipe(() => toast.dismiss(item.id));
  const element = useRef<HTMLLIElement>(null);
  useReturnFocus(element, returnFocus);
  return (
    <li
      ref={element}
      className="toast"
      data-leaving={!item.visible}
      data-swiping={offset !== null && item.visible}
      style={offset ? { transform: `translate(${offset.x}px, ${offset.y}px)` } : undefined}
      {...handlers}
    >
      <ToastIcon type={item.type} />
      <div className="min-w-0 flex-1 text-base text-ink">{resolveValue(item.message, item)}</div>
      <Button
        variant="ghost"
        size="sm"
        aria-label="Dismiss"
        className="-my-1 -mr-1 px-1! pointer-coarse:-my-2.5 pointer-coarse:-mr-2 pointer-coarse:w-10"
        onClick={() => toast.dismiss(item.id)}
      >
        <X aria-hidden />
      </Button>
    </li>
  );
}

function ToastIcon({ type }: { type: Toast['type'] }) {
  switch (type) {
    case 'success':
      return <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-operational" />;
    case 'error':
      return <OctagonX aria-hidden className="mt-0.5 size-4 shrink-0 text-major" />;
    case 'loading':
      return <Spinner className="mt-0.5 shrink-0 text-muted" />;
    case 'blank':
    case 'custom':
      return <Info aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />;
  }
}
