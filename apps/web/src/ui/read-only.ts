import { FormikContext, type FormikContextType } from 'formik';
import { createContext, use } from 'react';

/** Whether the user may only read the form's fields. */
export const ReadOnlyContext = createContext(false);

/**
 * Whether a control keeps its value: the user may only read it, or the form around it is being
 * saved, and what would be entered meanwhile would not be saved. Unlike a disabled control it can
 * have the focus, and its text is scrolled by keyboard.
 */
export function useKeepsValue(): boolean {
  const form = use(FormikContext) as FormikContextType<unknown> | undefined;
  return use(ReadOnlyContext) || (form?.isSubmitting ?? false);
}
