import type { FormikContextType } from 'formik';
import { useEffectEvent, useLayoutEffect } from 'react';
import { useDecision } from './use-decision';
import type { Edit } from './use-edit';

/** Decides about newer versions of `edit`, and merges an adopted version into the form. */
export function useRebase<T, Values extends object>(
  form: FormikContextType<Values>,
  edit: Edit<T>,
  loaded: T,
  valuesOf: (item: T) => Values,
): void {
  // The response to a save decides, and a version on screen is not exchanged while the user
  // reads it.
  const isBusy = form.isSubmitting || edit.remoteVersion !== undefined;
  useDecision(edit, isBusy, (newest) =>
    conflictingFields(form, valuesOf(newest)).length === 0 ? 'adopt' : 'conflict',
  );

  const newest = valuesOf(loaded);
  const fields = fieldsOf(newest);
  const rebase = useEffectEvent(() => merge(form, newest));
  const version = JSON.stringify(fields.map((field) => newest[field]));
  const base = JSON.stringify(fields.map((field) => form.initialValues[field]));
  // A layout effect: nothing can be typed or sent between the version and the form that shows it.
  useLayoutEffect(() => {
    if (version !== base) rebase();
  }, [version, base]);
}

/**
 * Returns the fields into which the user has typed, and which `newest` changes to another value.
 */
export function conflictingFields<Values extends object>(
  form: FormikContextType<Values>,
  newest: Values,
): (keyof Values)[] {
  return fieldsOf(newest).filter(
    (field) =>
      isTyped(form, field) &&
      !isSame(newest[field], form.initialValues[field]) &&
      !isSame(newest[field], form.values[field]),
  );
}

/**
 * Bases the form on `newest`, with which later changes are compared. Typed values stay, except
 * those of the fields `replaced`; the other fields get the values of `newest`. Fields that the item
 * lacks stay as they are.
 */
export function merge<Values extends object>(
  form: FormikContextType<Values>,
  newest: Values,
  replaced: readonly (keyof Values)[] = [],
): void {
  const { initialValues, values, touched, errors } = form;
  const merged = { ...values };
  for (const field of fieldsOf(newest)) {
    if (!isTyped(form, field) || replaced.includes(field)) merged[field] = newest[field];
  }
  form.resetForm({ values: { ...initialValues, ...newest } });
  // Not by `resetForm`: it would set them again after each later reset.
  form.setErrors(errors);
  void form.setTouched(touched, false);
  void form.setValues(merged);
}

function isTyped<Values extends object>(form: FormikContextType<Values>, field: keyof Values) {
  return !isSame(form.values[field], form.initialValues[field]);
}

/**
 * Whether two values of a field are equal. A value is a text, a number, a boolean, or a
 * list of rows.
 */
function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function fieldsOf<Values extends object>(values: Values): (keyof Values)[] {
  return Object.keys(values) as (keyof Values)[];
}
