import type { FormikHelpers } from 'formik';
import { useApi } from '@/api/api-provider';
import { useQuery } from '@/api/use-query';
import { endpoints } from '@/paths';
import { componentsFailed, type Choice } from '@/shared-features/affected/affected';
import { AffectedComponentsField } from '@/shared-features/affected/affected-components-field';
import { FormDialog } from '@/ui/form-dialog';
import { showFailure } from '@/ui/form-failure';
import { toast } from '@/ui/toast';
import { useLeaveOnError } from '@/ui/use-leave-on-error';
import { attachSchema, newAffected, type IncidentAffectedValues } from './incident';

interface AttachComponentsDialogProps {
  incidentId: string;
  onClose: () => void;
  onAttached: () => void;
}

const noComponents: IncidentAffectedValues = { components: [] };

/** Mounted while it is open. */
export function AttachComponentsDialog({
  incidentId,
  onClose,
  onAttached,
}: AttachComponentsDialogProps) {
  const api = useApi();
  const unattached = useQuery<Choice[]>(endpoints.incidents.unattached(incidentId));
  useLeaveOnError(
    unattached.error !== undefined && unattached.data === undefined,
    componentsFailed,
    onClose,
  );

  async function attach(
    values: IncidentAffectedValues,
    form: FormikHelpers<IncidentAffectedValues>,
  ) {
    try {
      await api.post(endpoints.incidents.attach(incidentId), values);
    } catch (error) {
      showFailure(form, error, 'Failed to attach components');
      void unattached.refresh();
      return;
    }
    toast.success('Components attached successfully');
    onClose();
    void unattached.refresh();
    onAttached();
  }

  return (
    <FormDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Attach Components"
      description="The incident sets the chosen status on each of them until it is resolved. Subscribers get a message with the next update."
      className="max-w-2xl!"
      initialValues={noComponents}
      validationSchema={attachSchema}
      onSubmit={attach}
      submitLabel="Attach"
      pendingLabel="Attaching..."
    >
      <AffectedComponentsField
        choices={unattached.data}
        noun="incident"
        newRow={newAffected}
        className="scroll-area grid max-h-[500px] gap-2 overflow-y-auto"
      />
    </FormDialog>
  );
}
