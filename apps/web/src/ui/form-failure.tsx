import { useFormikContext, type FormikHelpers } from 'formik';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '@/api/error';
import { formErrors, reasonOutsideFields } from '@/api/form-errors';
import { serverMessageOr } from '@/api/server-message';
import { Alert } from './alert';
import { toast } from './toast';

/** Shows why a form could not be saved: beside its fields, by `FormFailure`, and as a toast. */
export function showFailure<Values>(
  form: FormikHelpers<Values>,
  error: unknown,
  text: string,
): void {
  form.setErrors(formErrors(error));
  form.setStatus(error);
  toast.error(text);
}

/**
 * Shows why a form could not be saved in the server's words, or with `text` if it has none. The
 * form does not repeat what the toast says.
 */
export function showServerMessage<Values>(
  form: FormikHelpers<Values>,
  error: unknown,
  text: string,
): void {
  showFailure(form, error, serverMessageOr(text, error));
  const isInToast = error instanceof ApiError && error.isFromServer && !error.fieldErrors.length;
  if (isInToast) form.setStatus(undefined);
}

/**
 * Returns the status that the last submission has set. Undefined once a value has changed or
 * another submission has begun: then it says nothing about what the form shows.
 */
export function useLastStatus(): unknown {
  const form = useFormikContext();
  const { values, submitCount, isSubmitting } = form;
  const current: unknown = form.status;
  const [set, setSet] = useState({ status: current, values, submitCount });
  if (set.status !== current) {
    setSet({ status: current, values, submitCount });
    return undefined;
  }
  const isCurrent = set.values === values && set.submitCount === submitCount;
  return isCurrent && !isSubmitting ? current : undefined;
}

/** The error of the last submission, unless the form's fields or a `ConflictAlert` show it. */
export function FormFailure() {
  const { values } = useFormikContext<object>();
  const error = useLastStatus();
  if (!(error instanceof ApiError) || error.status === 412) return null;
  const reason = reasonOutsideFields(error, values, ({ message }) => message);
  return reason && <ShownFailure message={reason} />;
}

/**
 * Scrolls into view unless it is visible. The margin below keeps the form's buttons, which it
 * moves, in view too.
 */
function ShownFailure({ message }: { message: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Not the effect's result: newer browsers return a promise, which React would call to clean up.
    place.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <div ref={place} className="scroll-mt-20 scroll-mb-28">
      <Alert kind="error">{message}</Alert>
    </div>
  );
}
