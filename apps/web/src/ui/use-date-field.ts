import { useField } from 'formik';
import { useCallback, useRef } from 'react';

/**
 * Connects an input of a date or a time to its form. The field rejects a date that is entered
 * in part.
 */
export function useDateField(name: string) {
  const element = useRef<HTMLInputElement>(null);
  // The browser gives such a date an empty value, as if nothing had been entered.
  const validate = useCallback(
    () => (element.current?.validity.badInput ? 'Invalid date format' : undefined),
    [],
  );
  const [input, { touched, error }, { setValue }] = useField<string>({ name, validate });
  return { input: { ...input, ref: element }, error: touched && error, setValue };
}
