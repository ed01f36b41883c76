import { useFormikContext } from 'formik';
import { useEffect, useRef, type ReactNode, type RefObject } from 'react';

/**
 * A formik form. A refused submission moves the focus to the first wrong field: a control with
 * `aria-invalid`, or what stands for several controls, with `data-invalid`. Its Formik needs
 * `validateOnBlur={false}`: otherwise moving the focus would validate again and remove the
 * server's errors.
 */
export function Form({ className, children }: { className?: string; children: ReactNode }) {
  const form = useRef<HTMLFormElement>(null);
  const { handleSubmit, isSubmitting, submitCount } = useFormikContext();
  useSteadyButtons(form);
  useEffect(() => {
    if (submitCount === 0 || isSubmitting) return;
    const wrong = form.current?.querySelector<HTMLElement>(
      '[aria-invalid=true], [data-invalid=true]',
    );
    // Nothing in a group of radio buttons takes the focus but its choice, or the first one without
    // a choice.
    const options = wrong?.matches('[role=radiogroup]') ? [...wrong.querySelectorAll('input')] : [];
    const control = options.find(({ checked }) => checked) ?? options[0] ?? wrong;
    control?.focus();
  }, [submitCount, isSubmitting]);

  return (
    <form ref={form} noValidate onSubmit={handleSubmit} className={className}>
      {children}
    </form>
  );
}

/**
 * Pressing a button does not take the focus from a field. What the field says once it is left would
 * move the button away from under the pointer, and the click would miss it.
 */
function useSteadyButtons(form: RefObject<HTMLFormElement | null>) {
  useEffect(() => {
    const element = form.current;
    const keepFocusOnPress = (event: MouseEvent) => {
      if (event.target instanceof Element && event.target.closest('button')) event.preventDefault();
    };
    element?.addEventListener('mousedown', keepFocusOnPress);
    return () => element?.removeEventListener('mousedown', keepFocusOnPress);
  }, [form]);
}
