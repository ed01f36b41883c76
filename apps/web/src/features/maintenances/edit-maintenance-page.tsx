import type { FormikHelpers } from 'formik';
import { useParams } from 'react-router-dom';
import { formErrors } from '@/api/form-errors';
import type { MaintenanceStatus } from '@/api/types';
import { useEdit } from '@/api/use-edit';
import { useRefreshList } from '@/api/use-list';
import { calls, paths } from '@/paths';
import { StatusBadge } from '@/ui/badge';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { FormSkeleton } from '@/ui/form-skeleton';
import { maintenanceStatuses } from '@/ui/statuses';
import { toast } from '@/ui/toast';
import { useGoBack } from '@/ui/use-go-back';
import { useLeaveOnError } from '@/ui/use-leave-on-error';
import { usePageTitle } from '@/ui/use-page-title';
import { UpdatesPanel } from '@/updates/updates-panel';
import { Cancellation } from './cancellation';
import {
  maintenanceInput,
  maintenanceTimeline,
  maintenanceValues,
  type Maintenance,
  type MaintenanceValues,
} from './maintenance';
import { MaintenanceForm } from './maintenance-form';
import { MaintenanceNews } from './maintenance-news';
import { maintenanceSchema } from './maintenance-schema';

export function EditMaintenancePage() {
  usePageTitle('Edit Maintenance');
  const { maintenanceId = '' } = useParams();
  // Another maintenance is another form.
  return <EditMaintenance key={maintenanceId} maintenanceId={maintenanceId} />;
}

function EditMaintenance({ maintenanceId }: { maintenanceId: string }) {
  const edit = useEdit<Maintenance>(calls.maintenances.item(maintenanceId));
  const { loaded } = edit;
  const refreshList = useRefreshList(calls.maintenances.list);
  const goBack = useGoBack(paths.schedules.list);
  useLeaveOnError(edit.error !== undefined, 'Error loading maintenance', goBack);

  async function save(values: MaintenanceValues, form: FormikHelpers<MaintenanceValues>) {
    try {
      await edit.save(maintenanceInput(values));
    } catch (error) {
      form.setErrors(formErrors(error));
      form.setStatus(error);
      toast.error('Error while updating maintenance');
      return;
    }
    toast.success('Maintenance Updated');
    await refreshList();
    form.resetForm();
    goBack();
  }

  async function setStatus(status: MaintenanceStatus) {
    await edit.save({ status });
    await Promise.all([edit.follow(), refreshList()]);
  }

  const follow = () => void edit.follow();
  return (
    <div className="mx-auto grid w-full max-w-5xl min-w-0 gap-6">
      <Card>
        <CardHeader
          title="Edit Maintenance"
          level={1}
          actions={
            <>
              {loaded && <StatusBadge {...maintenanceStatuses[loaded.status]} />}
              {loaded && <Cancellation status={loaded.status} onSet={setStatus} />}
            </>
          }
        />
        <CardBody>
          {loaded === undefined ? (
            <FormSkeleton fields={['line', ['line', 'line'], 'text']} />
          ) : (
            <MaintenanceForm
              initialValues={maintenanceValues(loaded)}
              validationSchema={maintenanceSchema}
              onSubmit={save}
              onCancel={goBack}
              submitLabel="Update Maintenance"
              pendingLabel="Updating..."
            >
              <MaintenanceNews edit={edit} loaded={loaded} />
            </MaintenanceForm>
          )}
        </CardBody>
      </Card>
      {loaded && (
        <Card>
          <CardHeader title="Updates" />
          <CardBody>
            <UpdatesPanel
              timeline={maintenanceTimeline(maintenanceId)}
              about={loaded.title}
              onChanged={follow}
            />
          </CardBody>
        </Card>
      )}
    </div>
  );
}
