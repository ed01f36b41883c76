import { useFormikContext } from 'formik';
import type { ComponentProps, ReactNode } from 'react';
import { object } from 'yup';
import { oneStatusOf } from '@/api/rules';
import type { ComponentStatus } from '@/api/types';
import { FormDialog } from '@/ui/form-dialog';
import { componentStatuses, statusOptions } from '@/ui/statuses';
import { ToggleGroup } from '@/ui/toggle-group';

export interface StatusValues {
  /** '' if the components have several statuses. */
  status: ComponentStatus | '';
}

const schema = object({ status: oneStatusOf(componentStatuses) });
const options = statusOptions(componentStatuses);

interface ChangeStatusDialogProps {
  /** At least one. */
  components: readonly { name: string; status: ComponentStatus }[];
  /** How long the status stays. */
  description: string;
  onSubmit: ComponentProps<typeof FormDialog<StatusValues>>['onSubmit'];
  onClose: () => void;
  /** Follows the status, inside the formik context. */
  children?: ReactNode;
}

/** Asks for a new status of components. Mounted while it is open. */
export function ChangeStatusDialog({
  components,
  description,
  onSubmit,
  onClose,
  children,
}: ChangeStatusDialogProps) {
  const [first, ...others] = new Set(components.map(({ status }) => status));
  return (
    <FormDialog<StatusValues>
      open
      onOpenChange={(open) => !open && onClose()}
      title={
        components.length === 1
          ? `Change the status of ${components[0]?.name ?? ''}`
          : `Change the status of ${components.length} components`
      }
      description={description}
      initialValues={{ status: others.length > 0 ? '' : (first ?? '') }}
      validationSchema={schema}
      onSubmit={onSubmit}
      submitLabel="Change Status"
      pendingLabel="Changing..."
    >
      <StatusField />
      {children}
    </FormDialog>
  );
}

function StatusField() {
  const { values, errors, touched, setFieldValue } = useFormikContext<StatusValues>();
  return (
    <ToggleGroup
      label="Status"
      name="status"
      required
      options={options}
      value={values.status === '' ? undefined : values.status}
      onChange={(status) => void setFieldValue('status', status)}
      error={touched.status && errors.status}
    />
  );
}
