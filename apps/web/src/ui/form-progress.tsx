import { useFormikContext } from 'formik';
import { use, useEffect, useId } from 'react';
import { GuardContext } from './dialog-guard';

/** Reports the state of the form to the dialog around it, if there is one. */
export function FormProgress() {
  const { dirty, isSubmitting } = useFormikContext();
  const id = useId();
  const report = use(GuardContext)?.report;
  useEffect(() => {
    report?.(id, { dirty, isSubmitting });
    return () => report?.(id, null);
  }, [report, id, dirty, isSubmitting]);
  return null;
}
