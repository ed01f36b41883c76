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

/**
 * Returns the reason of a failed submission that no field shows; null if fields of the form, which
 * has `values`, show all of it. `textOf` words a failure that is not about fields.
 */
export function reasonOutsideFields<E>(
  error: E,
  values: object,
  textOf: (error: E) => string,
): string | null {
  const fields = error instanceof ApiError ? error.fieldErrors : [];
  if (fields.length === 0) return textOf(error);
  const outside = fields.filter(({ field }) => !((/^\w*/.exec(field)?.[0] ?? '') in values));
  return outside.map(({ message }) => message).join('; ') || null;
}
