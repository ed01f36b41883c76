import { FormikContext, type FormikContextType } from 'formik';
import { use } from 'react';

/**
 * Whether the form around a control is being saved. What would be entered meanwhile would not be saved, so the control
 * keeps its value, and the focus, which a disabled one would lose. False outside of forms.
 */
export function useIsSaving(): boolean {
  const form = use(FormikContext) as FormikContextType<unknown> | undefined;
  return form?.isSubmitting ?? false;
}
