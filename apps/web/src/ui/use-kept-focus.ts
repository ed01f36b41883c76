import { useEffect, useRef, type FocusEvent } from 'react';

/**
 * Keeps the focus in an element of which parts come and go, like the row with the pressed button.
 * The returned props are those of the element, which needs `tabIndex={-1}`.
 */
export function useKeptFocus<E extends HTMLElement>() {
  const element = useRef<E>(null);
  const hasFocus = useRef(false);
  // After each rendering: the part that had the focus may be gone. Its removal is no event.
  useEffect(() => {
    if (hasFocus.current && document.activeElement === document.body) {
      element.current?.focus({ preventScroll: true });
    }
  });
  return {
    ref: element,
    onFocus: ({ currentTarget, target }: FocusEvent) => {
      // Events of a dialog over the element arrive too.
      hasFocus.current = currentTarget.contains(target);
    },
    onBlur: () => {
      hasFocus.current = false;
    },
  };
}
