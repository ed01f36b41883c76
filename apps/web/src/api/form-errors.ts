import { setIn, type FormikErrors } from 'formik';
import { ApiError } from './error';

/** Converts the server's field errors for formik; empty for other errors. */
export function formErrors<Values>(error: unknown): FormikErrors<Values> {
  const fields = error instanceof ApiError ? error.fieldErrors : [];
  return fields.reduce<FormikErrors<Values>>(
    (errors, { field, message }) => setIn(errors, field, message) as FormikErrors<Values>,
    {},
  );
}
