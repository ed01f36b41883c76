import { useFormikContext, type FormikHelpers } from 'formik';
import type { ReactNode } from 'react';
import { useApi } from '@/api/api-provider';
import { useListCache } from '@/api/list-cache';
import type { ComponentGroup } from '@/api/types';
import { LiveUpdate } from '@/items/live-update';
import { useEdit } from '@/items/use-edit';
import { endpoints } from '@/paths';
import { dismissFailureToast, showFailureToast } from '@/ui/failure-toast';
import { Field } from '@/ui/field';
import { FormDialog, type FormDialogProps } from '@/ui/form-dialog';
import { showFailure } from '@/ui/form-failure';
import { Input } from '@/ui/input';
import { Select } from '@/ui/select';
import { Textarea } from '@/ui/textarea';
import { toast } from '@/ui/toast';
import { useLeaveOnError } from '@/ui/use-leave-on-error';
import {
  displays,
  groupSchema,
  groupValues,
  newGroup,
  type GroupValues,
  type NewGroupValues,
} from './group';
import { GroupComponentsField } from './group-components-field';
import { useMoveToGroup } from './move-to-group';

interface GroupDialogProps {
  onClose: () => void;
}

/** Mounted while it is open. */
export function CreateGroupDialog({ onClose }: GroupDialogProps) {
  const api = useApi();
  const moveToGroup = useMoveToGroup();

  async function create({ components, ...values }: NewGroupValues) {
    dismissFailureToast();
    const { data } = await api.post<ComponentGroup>(endpoints.componentGroups.create, values);
    if (components.length === 0) return;
    try {
      await moveToGroup(components, data.id);
    } catch (error) {
      // The group exists: the form must not create it again.
      showFailureToast('The components were not moved into the group', error);
    }
  }

  const save = useSaveGroup<NewGroupValues>({ save: create, done: 'Group created', onClose });
  return (
    <GroupFormDialog
      title="Create Group"
      initialValues={newGroup}
      onSubmit={save}
      onClose={onClose}
      submitLabel="Create"
      pendingLabel="Creating..."
    >
      <GroupComponentsField />
    </GroupFormDialog>
  );
}

/** Edits the current version of a group. Mounted while it is open. */
export function EditGroupDialog({ id, onClose }: GroupDialogProps & { id: string }) {
  const edit = useEdit<ComponentGroup>(endpoints.componentGroups.item(id));
  const { loaded } = edit;
  useLeaveOnError(edit.error !== undefined, 'Error loading group', onClose);
  const save = useSaveGroup<GroupValues>({ save: edit.save, done: 'Group updated', onClose });
  return (
    <GroupFormDialog
      title="Edit Group"
      initialValues={loaded && groupValues(loaded)}
      onSubmit={save}
      onClose={onClose}
      submitLabel="Update"
      pendingLabel="Updating..."
    >
      {loaded && (
        <LiveUpdate
          edit={edit}
          loaded={loaded}
          event="component-group-update"
          noun="group"
          valuesOf={groupValues}
          describe={(remote) => ({
            name: { label: 'Name', value: remote.name },
            description: { label: 'Description', value: remote.description || 'Empty' },
            display: { label: 'On the status page', value: displays[remote.display] },
          })}
        />
      )}
    </GroupFormDialog>
  );
}

interface SaveGroupOptions<Values> extends GroupDialogProps {
  /** Throws `ApiError`. */
  save: (values: Values) => Promise<unknown>;
  /** A toast. */
  done: string;
}

function useSaveGroup<Values>({ save, done, onClose }: SaveGroupOptions<Values>) {
  const listCache = useListCache();
  return async (values: Values, form: FormikHelpers<Values>): Promise<void> => {
    try {
      await save(values);
    } catch (error) {
      showFailure(form, error, 'The group was not saved');
      return;
    }
    toast.success(done);
    // Not awaited: without a connection it is retried for seconds.
    void listCache.refresh(endpoints.componentGroups.list);
    onClose();
  };
}

interface GroupFormDialogProps<Values extends GroupValues>
  extends
    GroupDialogProps,
    Pick<
      FormDialogProps<Values>,
      'title' | 'initialValues' | 'onSubmit' | 'submitLabel' | 'pendingLabel'
    > {
  children: ReactNode;
}

function GroupFormDialog<Values extends GroupValues>({
  onClose,
  children,
  ...form
}: GroupFormDialogProps<Values>) {
  return (
    <FormDialog<Values>
      open
      onOpenChange={(open) => !open && onClose()}
      validationSchema={groupSchema}
      {...form}
    >
      <GroupFields />
      {children}
    </FormDialog>
  );
}

function GroupFields() {
  const { errors, touched, getFieldProps } = useFormikContext<GroupValues>();
  return (
    <>
      <Field label="Name" required error={touched.name && errors.name}>
        {(control) => <Input {...control} {...getFieldProps('name')} />}
      </Field>
      <Field label="Description" error={touched.description && errors.description}>
        {(control) => (
          <Textarea
            {...control}
            {...getFieldProps('description')}
            placeholder="Enter description..."
          />
        )}
      </Field>
      <Field
        label="On the status page"
        description="Until a visitor opens or closes it."
        error={touched.display && errors.display}
      >
        {(control) => (
          <Select {...control} {...getFieldProps('display')}>
            {Object.entries(displays).map(([display, label]) => (
              <option key={display} value={display}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </>
  );
}
