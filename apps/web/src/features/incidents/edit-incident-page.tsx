import type { FormikHelpers } from 'formik';
import { useParams } from 'react-router-dom';
import { formErrors } from '@/api/form-errors';
import { useEdit } from '@/api/use-edit';
import { useRefreshList } from '@/api/use-list';
import { calls, paths } from '@/paths';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { FormSkeleton } from '@/ui/form-skeleton';
import { toast } from '@/ui/toast';
import { useGoBack } from '@/ui/use-go-back';
import { useLeaveOnError } from '@/ui/use-leave-on-error';
import { usePageTitle } from '@/ui/use-page-title';
import { incidentValues, type Incident, type IncidentValues } from './incident';
import { IncidentForm } from './incident-form';
import { IncidentNews } from './incident-news';
import { incidentSchema } from './incident-schema';
import { IncidentTabs } from './incident-tabs';

export function EditIncidentPage() {
  usePageTitle('Edit Incident');
  const { incidentId = '' } = useParams();
  // Another incident is another form.
  return <EditIncident key={incidentId} incidentId={incidentId} />;
}

function EditIncident({ incidentId }: { incidentId: string }) {
  const edit = useEdit<Incident>(calls.incidents.item(incidentId));
  const refreshList = useRefreshList(calls.incidents.list);
  const goBack = useGoBack(paths.incidents.list);
  useLeaveOnError(edit.error !== undefined, 'Error loading component', goBack);

  async function save(values: IncidentValues, form: FormikHelpers<IncidentValues>) {
    try {
      await edit.save(values);
    } catch (error) {
      form.setErrors(formErrors(error));
      form.setStatus(error);
      toast.error('Error while creating incident');
      return;
    }
    toast.success('Incident Created');
    await refreshList();
    form.resetForm();
    goBack();
  }

  return (
    <div className="mx-auto grid w-full max-w-5xl min-w-0 gap-6">
      <Card>
        <CardHeader title="Edit Incident" level={1} />
        <CardBody>
          {edit.loaded === undefined ? (
            <FormSkeleton fields={['line', 'line', 'line', 'text']} />
          ) : (
            <IncidentForm
              initialValues={incidentValues(edit.loaded)}
              validationSchema={incidentSchema}
              onSubmit={save}
              onCancel={goBack}
              submitLabel="Update Incident"
              pendingLabel="Updating..."
            >
              <IncidentNews edit={edit} loaded={edit.loaded} />
            </IncidentForm>
          )}
        </CardBody>
      </Card>
      {edit.loaded && <IncidentTabs incident={edit.loaded} onChanged={() => void edit.follow()} />}
    </div>
  );
}
