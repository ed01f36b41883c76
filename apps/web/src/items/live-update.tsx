import { useFormikContext } from 'formik';
import { useItemChanges, type ItemEvent } from '@/realtime/realtime';
import { ConflictAlert, DeletedAlert, type RemoteField } from '@/ui/conflict-alert';
import { isSame, setBase, useRebase } from './rebase';
import type { Edit } from './use-edit';

interface EditConflictProps<T, Values> {
  edit: Edit<T>;
  /** As in "has changed this component". */
  noun: string;
  valuesOf: (item: T) => Values;
  /** Describes each field of another user's version. */
  describe: (remote: Values) => Record<keyof Values, RemoteField>;
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
  return <MergeRemoteVersion loaded={loaded} {...conflict} />;
}

/** Inside a form: merges the versions that `edit.refresh` reads, as `LiveUpdate` does. */
export function MergeRemoteVersion<T, Values extends object>({
  loaded,
  ...conflict
}: MergeProps<T, Values>) {
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
  if (edit.remoteVersion === undefined) return null;
  const remote = valuesOf(edit.remoteVersion);
  const fields = describe(remote);
  return (
    <ConflictAlert
      noun={noun}
      remoteFields={(Object.keys(fields) as (keyof Values)[])
        .filter((field) => !isSame(remote[field], form.values[field]))
        .map((field) => fields[field])}
      onUseRemote={() => {
        // What the item lacks, like whether subscribers are notified, stays as the user has chosen.
        setBase(form, remote, { ...form.values, ...remote });
        edit.acceptRemoteVersion();
      }}
      onKeepMine={() => {
        setBase(form, remote, form.values);
        edit.acceptRemoteVersion();
      }}
    />
  );
}
