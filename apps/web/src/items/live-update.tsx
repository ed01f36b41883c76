import { useFormikContext } from 'formik';
import { ApiError } from '@/api/error';
import { useItemChanges, type ItemEvent } from '@/realtime/realtime';
import { ConflictAlert, DeletedAlert, MergedAlert, type RemoteField } from '@/ui/conflict-alert';
import { useLastStatus } from '@/ui/form-failure';
import { conflictingFields, merge, useRebase } from './rebase';
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
 * Inside an item's form: merges changes of other users into it as they happen. A newer version is
 * adopted if the user has typed into no field that it changes; otherwise the fields that both have
 * changed are shown. A deletion is shown as well.
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

/**
 * Inside a form: shows that another user has deleted the item, or the fields that both have
 * changed, for which the user chooses a version, or that a rejected save was merged.
 */
function EditConflict<T, Values extends object>({
  edit,
  noun,
  valuesOf,
  describe,
}: EditConflictProps<T, Values>) {
  const form = useFormikContext<Values>();
  const failure = useLastStatus();
  if (edit.isDeleted) return <DeletedAlert noun={noun} />;
  if (edit.remoteVersion === undefined) {
    const isMerged = failure instanceof ApiError && failure.status === 412;
    return isMerged && <MergedAlert noun={noun} />;
  }
  const remote = valuesOf(edit.remoteVersion);
  const conflicting = conflictingFields(form, remote);
  const fields = describe(remote);

  function settle(replaced: readonly (keyof Values)[]) {
    merge(form, remote, replaced);
    edit.acceptRemoteVersion();
  }

  return (
    <ConflictAlert
      noun={noun}
      remoteFields={conflicting.map((field) => fields[field])}
      onUseRemote={() => settle(conflicting)}
      onKeepMine={() => settle([])}
    />
  );
}
