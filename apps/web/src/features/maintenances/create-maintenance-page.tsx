import { useFormikContext } from 'formik';
import { useSearchParams } from 'react-router-dom';
import { useApi } from '@/api/api-provider';
import type { Component } from '@/api/types';
import { useFreshQuery } from '@/api/use-fresh-query';
import { useQuery } from '@/api/use-query';
import { useSave } from '@/items/item-form';
import { NotifyField, useNotify, type NotifyValues } from '@/items/notify-field';
import { endpoints, paths } from '@/paths';
import { componentsFailed } from '@/shared-features/affected/affected';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { FormSkeleton } from '@/ui/form-skeleton';
import { maintenanceStatuses, statusOptions } from '@/ui/statuses';
import { ToggleGroup } from '@/ui/toggle-group';
import { useGoBack } from '@/ui/use-go-back';
import { useLeaveOnError } from '@/ui/use-leave-on-error';
import { usePageTitle } from '@/ui/use-page-title';
import { AffectedComponents } from './affected-components';
import {
  duplicateOf,
  isPast,
  maintenanceInput,
  newMaintenanceSchema,
  type EditedMaintenance,
  type NewMaintenanceValues,
} from './maintenance';
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
  const [search] = useSearchParams();
  const earlierId = search.get('from');
  const goBack = useGoBack(paths.schedules.list);
  return (
    <Card className="mx-auto w-full max-w-3xl">
      <CardHeader title="Create Maintenance" level={1} />
      <CardBody>
        {earlierId === null ? (
          <NewMaintenance initialValues={newMaintenance} goBack={goBack} />
        ) : (
          <Duplicate key={earlierId} id={earlierId} goBack={goBack} />
        )}
      </CardBody>
    </Card>
  );
}

/** The form of a new maintenance like an earlier one, once that is read. */
function Duplicate({ id, goBack }: { id: string; goBack: () => void }) {
  const earlier = useFreshQuery<EditedMaintenance>(endpoints.maintenances.item(id));
  const components = useQuery<Component[]>(endpoints.components.list);
  const maintenance = earlier.response?.data;
  const isRead = maintenance !== undefined && components.data !== undefined;
  useLeaveOnError(
    !isRead && (earlier.error ?? components.error) !== undefined,
    earlier.error ? 'Error loading maintenance' : componentsFailed,
    goBack,
  );
  if (maintenance === undefined || components.data === undefined) {
    return <FormSkeleton fields={['line', ['line', 'line'], 'text']} />;
  }
  return (
    <NewMaintenance initialValues={duplicateOf(maintenance, components.data)} goBack={goBack} />
  );
}

interface NewMaintenanceProps {
  initialValues: NewMaintenanceValues;
  goBack: () => void;
}

function NewMaintenance({ initialValues, goBack }: NewMaintenanceProps) {
  const api = useApi();
  const notify = useNotify();
  const create = useSave<NewMaintenanceValues & NotifyValues>({
    save: (values) =>
      api.post(endpoints.maintenances.create, {
        ...maintenanceInput(values, newMaintenance),
        notify: notify.of(values, isPast(values.endAt)),
      }),
    list: endpoints.maintenances.list,
    goBack,
    done: 'Maintenance Created',
    failed: 'Error while creating maintenance',
  });

  return (
    <MaintenanceForm
      initialValues={initialValues}
      loading={notify.isLoading}
      validationSchema={newMaintenanceSchema}
      onSubmit={create}
      onCancel={goBack}
      submitLabel="Create Maintenance"
      pendingLabel="Creating..."
    >
      <StatusField />
      <AffectedComponents />
      <NewMaintenanceNotifyField />
    </MaintenanceForm>
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

/** Inside the form: whether saving notifies subscribers. */
function NewMaintenanceNotifyField() {
  const { values } = useFormikContext<NewMaintenanceValues>();
  const isOver = isPast(values.endAt);
  return (
    <NotifyField
      isBackfilled={isOver}
      help={
        isOver
          ? 'Sends a message to the subscribers now.'
          : 'Sends a message to the subscribers now, and when the maintenance begins and ends.'
      }
    />
  );
}
