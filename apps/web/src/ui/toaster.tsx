import { CircleCheck, Info, OctagonX, X } from 'lucide-react';
import { useRef } from 'react';
import { resolveValue, toast, useToaster, type Toast } from 'react-hot-toast/headless';
import { Button } from './button';
import { Spinner } from './spinner';
import {
  useFocusBesideDialogs,
  useHotkey,
  usePauseWhileAttended,
  useReturnFocus,
} from './toaster-focus';
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
