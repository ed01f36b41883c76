import type { FormikContextType } from 'formik';
import { useEffect, useEffectEvent } from 'react';

/**
 * For a form whose item has moved on under it: takes over what nobody has typed into, and keeps what somebody
 * has. `newest` are the values that the form would begin with now.
 */
export function useRebase<Values extends object>(
  form: FormikContextType<Values>,
  newest: Values,
): void {
  const { values, initialValues, touched, errors, resetForm, setValues } = form;
  const rebase = useEffectEvent(() => {
    const merged = { ...newest };
    for (const field of Object.keys(newest) as (keyof Values)[]) {
      if (values[field] !== initialValues[field]) merged[field] = values[field];
    }
    resetForm({ values: newest, touched, errors });
    void setValues(merged);
  });
  const version = JSON.stringify(newest);
  const known = JSON.stringify(initialValues);
  useEffect(() => {
    if (version !== known) rebase();
    // What the form began with changes by this alone.
  }, [version, known]);
}
