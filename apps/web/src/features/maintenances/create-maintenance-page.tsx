import { useFormikContext } from 'formik';
import { useApi } from '@/api/api-provider';
import { useSave } from '@/items/item-form';
import { NotifyField, useNotify, type NotifyValues } from '@/items/notify-field';
import { endpoints, paths } from '@/paths';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { maintenanceStatuses, statusOptions } from '@/ui/statuses';
import { ToggleGroup } from '@/ui/toggle-group';
import { useGoBack } from '@/ui/use-go-back';
import { usePageTitle } from '@/ui/use-page-title';
import { AffectedComponents } from './affected-components';
import { maintenanceInput, newMaintenanceSchema, type NewMaintenanceValues } from './maintenance';
import { MaintenanceForm } from './maintenance-form';

const newMaintenance: NewMaintenanceValues = {
  title: '',
  description: '',
  startAt: '',
  endAt: '',
  status: 'SCHEDULED',
  components: [],
};

export function CreateMaintenancePage() {
  usePageTitle('Create Maintenance');
  const api = useApi();
  const goBack = useGoBack(paths.schedules.list);
  const notify = useNotify();
  const create = useSave<NewMaintenanceValues & NotifyValues>({
    save: (values) =>
      api.post(endpoints.maintenances.create, {
        ...maintenanceInput(values, newMaintenance),
        notify: notify.of(values),
      }),
    list: endpoints.maintenances.list,
    goBack,
    done: 'Maintenance Created',
    failed: 'Error while creating maintenance',
  });

  return (
    <Card className="mx-auto w-full max-w-3xl">
      <CardHeader title="Create Maintenance" level={1} />
      <CardBody>
        <MaintenanceForm
          initialValues={newMaintenance}
          loading={notify.isLoading}
          validationSchema={newMaintenanceSchema}
          onSubmit={create}
          onCancel={goBack}
          submitLabel="Create Maintenance"
          pendingLabel="Creating..."
        >
          <StatusField />
          <AffectedComponents />
          <NotifyField help="Sends a message to the subscribers now, and when the maintenance begins and ends." />
        </MaintenanceForm>
      </CardBody>
    </Card>
  );
}

const statuses = statusOptions(maintenanceStatuses);

function StatusField() {
  const { values, touched, errors, setFieldValue } = useFormikContext<NewMaintenanceValues>();
  return (
    <ToggleGroup
      label="Status"
      description="Follows the start and the end, unless it is cancelled."
      name="status"
      options={statuses}
      value={values.status}
      onChange={(status) => void setFieldValue('status', status)}
      error={touched.status && errors.status}
      required
    />
  );
}
