import type { FormikHelpers } from 'formik';
import { useState } from 'react';
import { useApi } from '@/api/api-provider';
import { formErrors } from '@/api/form-errors';
import type { Component } from '@/api/types';
import { useRefreshList } from '@/api/use-list';
import { useQuery } from '@/api/use-query';
import { calls, paths } from '@/paths';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { currentMinute } from '@/ui/datetime';
import { LoadFailure } from '@/ui/load-failure';
import { toast } from '@/ui/toast';
import { useErrorToast } from '@/ui/use-error-toast';
import { useGoBack } from '@/ui/use-go-back';
import { usePageTitle } from '@/ui/use-page-title';
import { AffectedComponentsField } from './affected-components-field';
import type { NewIncidentValues } from './incident';
import { IncidentForm } from './incident-form';
import { newIncidentSchema } from './incident-schema';

const fetchFailed = 'Error while fetching components';

export function CreateIncidentPage() {
  usePageTitle('Create Incident');
  const api = useApi();
  const goBack = useGoBack(paths.incidents.list);
  const refreshList = useRefreshList(calls.incidents.list);
  const components = useQuery<Component[]>(calls.components.list);
  useErrorToast(components.error !== undefined, fetchFailed);
  const [initialValues] = useState(newIncident);

  async function create(values: NewIncidentValues, form: FormikHelpers<NewIncidentValues>) {
    try {
      await api.post(calls.incidents.create, values);
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
    <Card className="mx-auto w-full max-w-3xl">
      <CardHeader title="Create Incident" level={1} />
      <CardBody>
        <IncidentForm
          initialValues={initialValues}
          validationSchema={newIncidentSchema}
          onSubmit={create}
          onCancel={goBack}
          submitLabel="Create Incident"
          pendingLabel="Creating..."
        >
          {components.error && components.data === undefined ? (
            <LoadFailure
              title={fetchFailed}
              reason={components.error.message}
              onRetry={() => void components.refresh()}
            />
          ) : (
            <AffectedComponentsField choices={components.data} />
          )}
        </IncidentForm>
      </CardBody>
    </Card>
  );
}

function newIncident(): NewIncidentValues {
  return {
    title: '',
    description: '',
    status: 'INVESTIGATING',
    occuredAt: currentMinute(),
    components: [],
  };
}
