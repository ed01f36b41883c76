import { useFormikContext } from 'formik';
import type { Component, ComponentInput } from '@/api/types';
import type { Edit } from '@/api/use-edit';
import { conflictChoices } from '@/api/use-rebase';
import { ConflictAlert } from '@/ui/conflict-alert';
import { componentStatuses } from '@/ui/statuses';
import { inputOf } from './component-schema';

/** Shows another person's version of the component that is being edited, once there is one. */
export function ComponentConflict({ edit }: { edit: Edit<Component> }) {
  const form = useFormikContext<ComponentInput>();
  const { values } = form;
  if (edit.theirs === undefined) return null;
  const theirs = inputOf(edit.theirs);
  const fields = [
    { label: 'Name', value: theirs.name, differs: theirs.name !== values.name },
    {
      label: 'Status',
      value: componentStatuses[theirs.status].label,
      differs: theirs.status !== values.status,
    },
    {
      label: 'Description',
      value: theirs.description || 'Empty',
      differs: theirs.description !== values.description,
    },
  ];
  return (
    <ConflictAlert
      thing="component"
      theirs={fields.filter((field) => field.differs)}
      {...conflictChoices(form, edit, theirs)}
    />
  );
}
