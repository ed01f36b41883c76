import { useFormikContext, type FormikContextType } from 'formik';
import { useEffect, useEffectEvent, useLayoutEffect } from 'react';
import { useItemChanges, type ItemEvent } from '@/realtime/realtime';
import { ConflictAlert, DeletedAlert, type TheirField } from '@/ui/conflict-alert';
import type { Edit, MergeDecision } from './use-edit';

interface EditConflictProps<T, Values> {
  edit: Edit<T>;
  /** As in "has changed this component". */
  noun: string;
  valuesOf: (item: T) => Values;
  /** Describes each field of another user's version. */
  describe: (theirs: Values) => Record<keyof Values, TheirField>;
}

interface MergeProps<T, Values> extends EditConflictProps<T, Values> {
  /** The version of `edit`. */
  loaded: T;
}

interface LiveUpdateProps<T, Values> extends MergeProps<T, Values> {
  event: ItemEvent;
}

/**
 * Inside an item's form: merges changes of other users into it as they happen. A newer version is adopted if the user
 * has typed into no field that it changes; otherwise the conflict is shown. A deletion is shown as well.
 */
export function LiveUpdate<T extends { id: string }, Values extends object>({
  loaded,
  event,
  ...conflict
}: LiveUpdateProps<T, Values>) {
  useItemChanges(event, loaded.id, () => void conflict.edit.refresh());
  return <Merge loaded={loaded} {...conflict} />;
}

/** Inside a form: merges the versions that `edit.refresh` reads, as `LiveUpdate` does. */
export function Merge<T, Values extends object>({ loaded, ...conflict }: MergeProps<T, Values>) {
  const { edit, valuesOf } = conflict;
  useRebase(useFormikContext<Values>(), edit, loaded, valuesOf);
  return <EditConflict {...conflict} />;
}

/** Inside a form: shows that another user has deleted the item, or another user's version, from which the user chooses. */
function EditConflict<T, Values extends object>({
  edit,
  noun,
  valuesOf,
  describe,
}: EditConflictProps<T, Values>) {
  const form = useFormikContext<Values>();
  if (edit.isDeleted) return <DeletedAlert noun={noun} />;
  if (edit.theirs === undefined) return null;
  const theirs = valuesOf(edit.theirs);
  const fields = describe(theirs);
  return (
    <ConflictAlert
      noun={noun}
      theirs={(Object.keys(fields) as (keyof Values)[])
        .filter((field) => !isSame(theirs[field], form.values[field]))
        .map((field) => fields[field])}
      onTakeTheirs={() => {
        form.resetForm({ values: { ...form.initialValues, ...theirs } });
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
function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** Changes the values that the form counts as unchanged, and sets its values. Fields that the item lacks keep their base. */
function setBase<Values extends object>(
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
