import { useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import { useApi } from '@/api/api-provider';
import { serverNow } from '@/api/server-clock';
import type { Component } from '@/api/types';
import { useQuery } from '@/api/use-query';
import { useSave } from '@/items/item-form';
import { useNotify, type NotifyValues } from '@/items/notify-field';
import { endpoints, paths } from '@/paths';
import { componentsFailed } from '@/shared-features/affected/affected';
import { AffectedComponentsField } from '@/shared-features/affected/affected-components-field';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { FormSkeleton } from '@/ui/form-skeleton';
import { startOfMinute } from '@/ui/local-minute';
import { LoadFailure } from '@/ui/load-failure';
import { useErrorToast } from '@/ui/use-error-toast';
import { useGoBack } from '@/ui/use-go-back';
import { usePageTitle } from '@/ui/use-page-title';
import {
  incidentInput,
  entersResolution,
  newAffected,
  newIncidentSchema,
  type NewIncidentValues,
} from './incident';
import { IncidentForm, IncidentNotifyField } from './incident-form';

const newIncident: NewIncidentValues = {
  title: '',
  description: '',
  status: 'INVESTIGATING',
  occuredAt: '',
  resolvedAt: '',
  components: [],
};

export function CreateIncidentPage() {
  usePageTitle('Create Incident');
  const api = useApi();
  const goBack = useGoBack(paths.incidents.list);
  const components = useQuery<Component[]>(endpoints.components.list);
  useErrorToast(components.error !== undefined, componentsFailed);
  const [search] = useSearchParams();
  const componentId = search.get('component');
  const affected = components.data?.filter(({ id }) => id === componentId) ?? [];
  // The first row has the status of the component, which is not known yet.
  const isWaiting = componentId !== null && !components.data && !components.error;
  const [occuredAt] = useState(() => startOfMinute(serverNow()));
  const initialValues: NewIncidentValues = {
    ...newIncident,
    occuredAt,
    components: affected.map(({ id, status }) => ({ componentId: id, status })),
  };

  const notify = useNotify();

  const create = useSave<NewIncidentValues & NotifyValues>({
    save: (values) =>
      api.post(endpoints.incidents.create, {
        ...incidentInput(values, initialValues),
        notify: notify.of(values, entersResolution(values, initialValues)),
      }),
    list: endpoints.incidents.list,
    goBack,
    done: 'Incident Created',
    failed: 'Error while creating incident',
  });

  return (
    <Card className="mx-auto w-full max-w-3xl">
      <CardHeader title="Create Incident" level={1} />
      <CardBody>
        {isWaiting ? (
          <FormSkeleton fields={['line', 'line', 'line', 'text']} />
        ) : (
          <IncidentForm
            initialValues={initialValues}
            loading={notify.isLoading}
            validationSchema={newIncidentSchema}
            onSubmit={create}
            onCancel={goBack}
            submitLabel="Create Incident"
            pendingLabel="Creating..."
          >
            {components.error && components.data === undefined ? (
              <LoadFailure
                title="The components could not be loaded"
                reason={components.error.message}
                onRetry={components.refresh}
              />
            ) : (
              <AffectedComponentsField
                choices={components.data}
                noun="incident"
                newRow={newAffected}
              />
            )}
            <IncidentNotifyField help="Sends this incident to the subscribers on all channels." />
          </IncidentForm>
        )}
      </CardBody>
    </Card>
  );
}
