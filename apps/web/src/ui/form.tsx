import { useFormikContext } from 'formik';
import { useEffect, useRef, type ReactNode } from 'react';

/** A formik form. A submission that is refused leads to the first field that is wrong. */
export function Form({ className, children }: { className?: string; children: ReactNode }) {
  const form = useRef<HTMLFormElement>(null);
  const { handleSubmit, isSubmitting, submitCount } = useFormikContext();
  useEffect(() => {
    if (submitCount === 0 || isSubmitting) return;
    const wrong = form.current?.querySelector<HTMLElement>('[aria-invalid=true]');
    const control = wrong?.matches('[role=radiogroup]') ? wrong.querySelector('input') : wrong;
    control?.focus();
  }, [submitCount, isSubmitting]);

  return (
    <form ref={form} noValidate onSubmit={handleSubmit} className={className}>
      {children}
    </form>
  );
}
