import { useFormikContext, type FormikContextType } from 'formik';
import { useEffect, useEffectEvent, useLayoutEffect } from 'react';
import { useItemChanges, type ItemEvent } from '@/realtime/realtime';
import { ConflictAlert, type TheirField } from '@/ui/conflict-alert';
import type { Edit, MergeDecision } from './use-edit';

interface EditConflictProps<T, Values> {
  edit: Edit<T>;
  /** As in "has changed this component". */
  noun: string;
  valuesOf: (item: T) => Values;
  /** Describes each field of another user's version. */
  describe: (theirs: Values) => Record<keyof Values, TheirField>;
}

interface LiveUpdateProps<T, Values> extends EditConflictProps<T, Values> {
  /** The version of `edit`. */
  loaded: T;
  event: ItemEvent;
}

/**
 * Inside an item's form: merges changes of other users into it as they happen. A newer version is adopted if the user
 * has typed into no field that it changes; otherwise the conflict is shown.
 */
export function LiveUpdate<T extends { id: string }, Values extends object>({
  loaded,
  event,
  ...conflict
}: LiveUpdateProps<T, Values>) {
  const { edit, valuesOf } = conflict;
  const form = useFormikContext<Values>();
  useRebase(form, edit, loaded, valuesOf);
  useItemChanges(event, loaded.id, () => void edit.refresh());
  return <EditConflict {...conflict} />;
}

/** Inside a form: shows another user's version, and lets the user choose one. */
export function EditConflict<T, Values extends object>({
  edit,
  noun,
  valuesOf,
  describe,
}: EditConflictProps<T, Values>) {
  const form = useFormikContext<Values>();
  if (edit.theirs === undefined) return null;
  const theirs = valuesOf(edit.theirs);
  const fields = describe(theirs);
  return (
    <ConflictAlert
      noun={noun}
      theirs={(Object.keys(fields) as (keyof Values)[])
        .filter((field) => theirs[field] !== form.values[field])
        .map((field) => fields[field])}
      onTakeTheirs={() => {
        form.resetForm({ values: theirs });
        edit.acceptTheirs();
      }}
      onKeepMine={() => {
        setBase(form, theirs, form.values);
        edit.acceptTheirs();
      }}
    />
  );
}

function useRebase<T, Values extends object>(
  form: FormikContextType<Values>,
  edit: Edit<T>,
  loaded: T,
  valuesOf: (item: T) => Values,
): void {
  const { decideBy } = edit;
  const decide = useEffectEvent((newest: T): MergeDecision => {
    // The response to a save decides, and a version on screen is not exchanged while the user reads it.
    if (form.isSubmitting || edit.theirs !== undefined) return 'ignore';
    return mayReplace(form, valuesOf(newest)) ? 'adopt' : 'conflict';
  });
  useEffect(() => decideBy((newest: T) => decide(newest)), [decideBy]);

  const newest = valuesOf(loaded);
  const rebase = useEffectEvent(() => {
    const merged = { ...newest };
    for (const field of fieldsOf(newest)) {
      if (isTyped(form, field)) merged[field] = form.values[field];
    }
    setBase(form, newest, merged);
  });
  const version = JSON.stringify(newest);
  const base = JSON.stringify(form.initialValues);
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
      newest[field] === form.initialValues[field] ||
      newest[field] === form.values[field],
  );
}

function isTyped<Values extends object>(form: FormikContextType<Values>, field: keyof Values) {
  return form.values[field] !== form.initialValues[field];
}

/** Changes the values that the form counts as unchanged, and sets its values. */
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
