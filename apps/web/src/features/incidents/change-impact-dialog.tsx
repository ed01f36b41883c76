import type { FormikHelpers } from 'formik';
import { useApi } from '@/api/api-provider';
import type { AttachedComponent } from '@/api/types';
import { endpoints } from '@/paths';
import {
  ChangeStatusDialog,
  type StatusValues,
} from '@/shared-features/affected/change-status-dialog';
import { showFailure } from '@/ui/form-failure';
import { toast } from '@/ui/toast';

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

  async function change({ status }: StatusValues, form: FormikHelpers<StatusValues>) {
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
    <ChangeStatusDialog
      components={components.map(({ component, status }) => ({ name: component.name, status }))}
      description="The incident sets it until it is resolved. The history keeps the status so far."
      onSubmit={change}
      onClose={onClose}
    />
  );
}
