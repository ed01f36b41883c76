import { useEffect, useRef, type ReactNode } from 'react';

interface StepFocusProps {
  /** The current step. */
  step: unknown;
  children: ReactNode;
}

/**
 * Moves the focus to each new step: to its first field, or to its beginning. The button that led
 * there is gone.
 */
export function StepFocus({ step, children }: StepFocusProps) {
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current === step) return;
    shown.current = step;
    const field = place.current?.querySelector<HTMLElement>('input:not([readonly])');
    (field ?? place.current)?.focus();
  }, [step]);
  return (
    <div ref={place} tabIndex={-1} className="outline-none">
      {children}
    </div>
  );
}
