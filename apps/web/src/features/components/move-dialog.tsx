import type { FormikHelpers } from 'formik';
import { object, string } from 'yup';
import type { Component } from '@/api/types';
import { FormDialog } from '@/ui/form-dialog';
import { showFailure } from '@/ui/form-failure';
import { formatCount } from '@/ui/format';
import { toast } from '@/ui/toast';
import { GroupField, severalGroups, type GroupValue } from './group-field';
import { useMoveToGroup } from './move-to-group';

const schema = object({ groupId: string().notOneOf([severalGroups], 'Select Any One') });

interface MoveDialogProps {
  /** At least one. */
  components: readonly Component[];
  onClose: () => void;
}

/** Moves components to a group. Mounted while it is open. */
export function MoveDialog({ components, onClose }: MoveDialogProps) {
  const moveToGroup = useMoveToGroup();
  const [first, ...others] = new Set(components.map(({ groupId }) => groupId ?? ''));
  const initial: GroupValue = { groupId: others.length > 0 ? severalGroups : (first ?? '') };

  async function move({ groupId }: GroupValue, form: FormikHelpers<GroupValue>) {
    const ids = components.map(({ id }) => id);
    try {
      await moveToGroup(ids, groupId || null);
    } catch (error) {
      showFailure(form, error, 'The components were not moved');
      return;
    }
    toast.success(`${formatCount(ids.length, 'component')} moved`);
    onClose();
  }

  return (
    <FormDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={
        components.length === 1
          ? `Move ${components[0]?.name ?? ''} to a group`
          : `Move ${components.length} components to a group`
      }
      description="They become the first of the group on the status page."
      initialValues={initial}
      validationSchema={schema}
      onSubmit={move}
      submitLabel="Move"
      pendingLabel="Moving..."
    >
      <GroupField />
    </FormDialog>
  );
}
