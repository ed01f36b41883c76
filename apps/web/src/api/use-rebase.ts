import type { FormikContextType } from 'formik';
import { useEffect, useEffectEvent, useLayoutEffect } from 'react';
import type { Edit, Fit } from './use-edit';

/**
 * Keeps a form in step with its item. A newer version becomes the form's base only if nobody has typed into a field
 * that it changes; otherwise it becomes `edit.theirs`, for the person to decide. `valuesOf` reads the form's values
 * from the item, and `loaded` is that of `edit`.
 */
export function useRebase<T, Values extends object>(
  form: FormikContextType<Values>,
  edit: Edit<T>,
  loaded: T,
  valuesOf: (item: T) => Values,
): void {
  const { decideBy } = edit;
  const fit = useEffectEvent((newest: T): Fit => {
    // The response to a save says what became of it, and a version on screen is not exchanged while it is being read.
    if (form.isSubmitting || edit.theirs !== undefined) return 'ignore';
    return mayReplace(form, valuesOf(newest)) ? 'adopt' : 'conflict';
  });
  useEffect(() => decideBy((newest: T) => fit(newest)), [decideBy]);

  const newest = valuesOf(loaded);
  const rebase = useEffectEvent(() => {
    const merged = { ...newest };
    for (const field of fieldsOf(newest)) {
      if (isTyped(form, field)) merged[field] = form.values[field];
    }
    setBase(form, newest, merged);
  });
  const version = JSON.stringify(newest);
  const known = JSON.stringify(form.initialValues);
  // Together with the version that a save is made on: between the two, nothing can be typed or sent.
  useLayoutEffect(() => {
    if (version !== known) rebase();
    // What the form began with changes by this alone.
  }, [version, known]);
}

/** What the two buttons of a conflict do with the form: `theirs` are the values of `edit.theirs`. */
export function conflictChoices<T, Values extends object>(
  form: FormikContextType<Values>,
  edit: Edit<T>,
  theirs: Values,
) {
  return {
    onTakeTheirs: () => {
      form.resetForm({ values: theirs });
      edit.acceptTheirs();
    },
    onKeepMine: () => {
      setBase(form, theirs, form.values);
      edit.acceptTheirs();
    },
  };
}

/** Whether no field that `newest` changes holds something else that a person has typed. */
function mayReplace<Values extends object>(form: FormikContextType<Values>, newest: Values) {
  return fieldsOf(newest).every(
    (field) =>
      !isTyped(form, field) ||
      newest[field] === form.initialValues[field] ||
      newest[field] === form.values[field],
  );
}

function isTyped<Values extends object>(form: FormikContextType<Values>, field: keyof Values) {
  return form.values[field] !== form.initialValues[field];
}

/** Changes what the form counts as unchanged, and leaves `values` in it. */
function setBase<Values extends object>(
  form: FormikContextType<Values>,
  base: Values,
  values: Values,
): void {
  const { touched, errors, resetForm, setValues } = form;
  resetForm({ values: base, touched, errors });
  void setValues(values);
}

function fieldsOf<Values extends object>(values: Values): (keyof Values)[] {
  return Object.keys(values) as (keyof Values)[];
}
