import { useFormikContext } from 'formik';
import { useGroups } from '@/shared-features/affected/component-groups';
import { Field } from '@/ui/field';
import { LoadFailure } from '@/ui/load-failure';
import { Select } from '@/ui/select';

export interface GroupValue {
  /** '' for no group; `severalGroups` if the components have several. */
  groupId: string;
}

/** Stands for the groups of several components, which are not all the same. */
export const severalGroups = 'several';

/**
 * Inside a form: the group, in which a component becomes the first. It is there before the groups
 * are read, so that no field moves.
 */
export function GroupField({ disabled = false }: { disabled?: boolean }) {
  const { values, errors, getFieldProps } = useFormikContext<GroupValue>();
  const { rows, error, refresh } = useGroups();
  if (error && rows === undefined) {
    return (
      <LoadFailure
        title="The groups could not be loaded"
        reason={error.message}
        onRetry={refresh}
      />
    );
  }
  const { groupId } = values;
  const isUnknown = groupId !== '' && !rows?.some(({ id }) => id === groupId);
  const unknown = rows ? 'No longer available' : 'Loading...';
  return (
    <Field label="Group" error={errors.groupId}>
      {(control) => (
        <Select {...control} {...getFieldProps('groupId')} disabled={disabled}>
          <option value="">No group</option>
          {isUnknown && (
            <option value={groupId} disabled>
              {groupId === severalGroups ? 'Several groups' : unknown}
            </option>
          )}
          {rows?.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
