import type { FormikHelpers } from 'formik';
import { useApi } from '@/api/api-provider';
import { formErrors } from '@/api/form-errors';
import { useRefreshList } from '@/api/use-list';
import { calls, paths } from '@/paths';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { toast } from '@/ui/toast';
import { useGoBack } from '@/ui/use-go-back';
import { usePageTitle } from '@/ui/use-page-title';
import { maintenanceInput, type NewMaintenanceValues } from './maintenance';
import { MaintenanceForm } from './maintenance-form';
import { newMaintenanceSchema } from './maintenance-schema';
import { MaintenanceStatusField } from './maintenance-status-field';

const newMaintenance: NewMaintenanceValues = {
  title: '',
  description: '',
  startAt: '',
  endAt: '',
  status: 'SCHEDULED',
};

export function CreateMaintenancePage() {
  usePageTitle('Create Maintenance');
  const api = useApi();
  const goBack = useGoBack(paths.schedules.list);
  const refreshList = useRefreshList(calls.maintenances.list);

  async function create(values: NewMaintenanceValues, form: FormikHelpers<NewMaintenanceValues>) {
    try {
      await api.post(calls.maintenances.create, maintenanceInput(values));
    } catch (error) {
      form.setErrors(formErrors(error));
      form.setStatus(error);
      toast.error('Error while creating maintenance');
      return;
    }
    toast.success('Maintenance Created');
    await refreshList();
    form.resetForm();
    goBack();
  }

  return (
    <Card className="mx-auto w-full max-w-3xl">
      <CardHeader title="Create Maintenance" level={1} />
      <CardBody>
        <MaintenanceForm
          initialValues={newMaintenance}
          validationSchema={newMaintenanceSchema}
          onSubmit={create}
          onCancel={goBack}
          submitLabel="Create Maintenance"
          pendingLabel="Creating..."
        >
          <MaintenanceStatusField />
        </MaintenanceForm>
      </CardBody>
    </Card>
  );
}
