import { useFormikContext, type FormikHelpers } from 'formik';
import { object } from 'yup';
import { useApi } from '@/api/api-provider';
import { oneStatusOf } from '@/api/rules';
import type { AttachedComponent, ComponentStatus } from '@/api/types';
import { endpoints } from '@/paths';
import { FormDialog } from '@/ui/form-dialog';
import { showFailure } from '@/ui/form-failure';
import { componentStatuses, statusOptions } from '@/ui/statuses';
import { toast } from '@/ui/toast';
import { ToggleGroup } from '@/ui/toggle-group';

interface ImpactValues {
  /** '' if the components have several statuses. */
  status: ComponentStatus | '';
}

const schema = object({ status: oneStatusOf(componentStatuses) });
const options = statusOptions(componentStatuses);

interface ChangeImpactDialogProps {
  incidentId: string;
  /** At least one. */
  components: readonly AttachedComponent[];
  onClose: () => void;
  onChanged: () => void;
}

/** Changes the status that an incident sets on components. Mounted while it is open. */
export function ChangeImpactDialog({
  incidentId,
  components,
  onClose,
  onChanged,
}: ChangeImpactDialogProps) {
  const api = useApi();
  const [first, ...others] = new Set(components.map(({ status }) => status));
  const initial: ImpactValues = { status: others.length > 0 ? '' : (first ?? '') };

  async function change({ status }: ImpactValues, form: FormikHelpers<ImpactValues>) {
    const changed = components.map(({ componentId }) => ({ componentId, status }));
    try {
      await api.patch(endpoints.incidents.impacts(incidentId), { components: changed });
    } catch (error) {
      showFailure(form, error, 'The status was not changed');
      return;
    }
    toast.success('Status changed');
    onClose();
    onChanged();
  }

  return (
    <FormDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={
        components.length === 1
          ? `Change the status of ${components[0]?.component.name ?? ''}`
          : `Change the status of ${components.length} components`
      }
      description="The incident sets it until it is resolved. The history keeps the status so far."
      initialValues={initial}
      validationSchema={schema}
      onSubmit={change}
      submitLabel="Change Status"
      pendingLabel="Changing..."
    >
      <StatusField />
    </FormDialog>
  );
}

function StatusField() {
  const { values, errors, touched, setFieldValue } = useFormikContext<ImpactValues>();
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
