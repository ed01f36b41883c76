import { setIn, type FormikErrors } from 'formik';
import { ApiError } from './error';

/** The server's field errors as formik holds them; empty for an error that is not about fields. */
export function formErrors<Values>(error: unknown): FormikErrors<Values> {
  const fields = error instanceof ApiError ? error.fieldErrors : [];
  return fields.reduce<FormikErrors<Values>>(
    (errors, { field, message }) => setIn(errors, field, message) as FormikErrors<Values>,
    {},
  );
}
