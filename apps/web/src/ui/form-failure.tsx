import { useFormikContext } from 'formik';
import { SaveFailure } from './save-failure';

/** Why the form could not be saved: the error that its `onSubmit` has left with `setStatus`. */
export function FormFailure() {
  const form = useFormikContext();
  const error: unknown = form.status;
  return form.isSubmitting ? null : <SaveFailure error={error} />;
}
