import { useFormikContext } from 'formik';
import { ApiError } from '@/api/error';
import { Alert } from './alert';

/**
 * Why the form could not be saved, where neither a field nor another person's version says it: the error that its
 * `onSubmit` has left with `setStatus`.
 */
export function FormFailure() {
  const form = useFormikContext();
  const error: unknown = form.status;
  if (form.isSubmitting || !(error instanceof ApiError)) return null;
  if (error.status === 412 || error.fieldErrors.length > 0) return null;
  return <Alert kind="error">{error.message}</Alert>;
}
