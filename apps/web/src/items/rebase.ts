import type { FormikContextType } from 'formik';
import { useEffectEvent, useLayoutEffect } from 'react';
import { useDecision } from './use-decision';
import type { Edit } from './use-edit';

/**
 * Decides about newer versions of `edit`, and merges an adopted version into the form: fields without typed text get its
 * values, and later changes are compared with it.
 */
export function useRebase<T, Values extends object>(
  form: FormikContextType<Values>,
  edit: Edit<T>,
  loaded: T,
  valuesOf: (item: T) => Values,
): void {
  // The response to a save decides, and a version on screen is not exchanged while the user reads it.
  const isBusy = form.isSubmitting || edit.remoteVersion !== undefined;
  useDecision(edit, isBusy, (newest) =>
    mayReplace(form, valuesOf(newest)) ? 'adopt' : 'conflict',
  );

  const newest = valuesOf(loaded);
  const fields = fieldsOf(newest);
  const rebase = useEffectEvent(() => {
    const merged = { ...form.values };
    for (const field of fields) {
      if (!isTyped(form, field)) merged[field] = newest[field];
    }
    setBase(form, newest, merged);
  });
  const version = JSON.stringify(fields.map((field) => newest[field]));
  const base = JSON.stringify(fields.map((field) => form.initialValues[field]));
  // A layout effect: nothing can be typed or sent between the version and the form that shows it.
  useLayoutEffect(() => {
    if (version !== base) rebase();
  }, [version, base]);
}

/** Whether the user has typed another value into no field that `newest` changes. */
function mayReplace<Values extends object>(form: FormikContextType<Values>, newest: Values) {
  return fieldsOf(newest).every(
    (field) =>
      !isTyped(form, field) ||
      isSame(newest[field], form.initialValues[field]) ||
      isSame(newest[field], form.values[field]),
  );
}

function isTyped<Values extends object>(form: FormikContextType<Values>, field: keyof Values) {
  return !isSame(form.values[field], form.initialValues[field]);
}

/** Whether two values of a field are equal. A value is a text, a number, a boolean, or a list of rows. */
export function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** Changes the values that the form counts as unchanged, and sets its values. Fields that the item lacks keep their base. */
export function setBase<Values extends object>(
  form: FormikContextType<Values>,
  base: Values,
  values: Values,
): void {
  const { initialValues, touched, errors, resetForm, setValues } = form;
  resetForm({ values: { ...initialValues, ...base }, touched, errors });
  void setValues(values);
}

function fieldsOf<Values extends object>(values: Values): (keyof Values)[] {
  return Object.keys(values) as (keyof Values)[];
}
