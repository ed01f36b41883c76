import { useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import { useApi } from '@/api/api-provider';
import { serverNow } from '@/api/server-clock';
import type { Component } from '@/api/types';
import { useFreshQuery } from '@/api/use-fresh-query';
import { useList } from '@/api/use-list';
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
import { useLeaveOnError } from '@/ui/use-leave-on-error';
import { usePageTitle } from '@/ui/use-page-title';
import {
  duplicateOf,
  entersResolution,
  incidentInput,
  newAffected,
  newIncident,
  newIncidentSchema,
  type Incident,
  type NewIncidentValues,
} from './incident';
import { IncidentForm, IncidentNotifyField } from './incident-form';
import { NewlyOpened, OpenIncidents } from './open-incidents';
import { readAttached } from './read-attached';

export function CreateIncidentPage() {
  usePageTitle('Create Incident');
  const [search] = useSearchParams();
  const earlierId = search.get('from');
  const goBack = useGoBack(paths.incidents.list);
  return (
    <Card className="mx-auto w-full max-w-3xl">
      <CardHeader title="Create Incident" level={1} />
      <CardBody className="grid gap-5">
        {earlierId === null ? (
          <OnComponent componentId={search.get('component')} goBack={goBack} />
        ) : (
          <Duplicate key={earlierId} id={earlierId} goBack={goBack} />
        )}
      </CardBody>
    </Card>
  );
}

const placeholder = <FormSkeleton fields={['line', 'line', 'line', 'text']} />;

interface OnComponentProps {
  /** Null if it is opened for none. */
  componentId: string | null;
  goBack: () => void;
}

/** The form of a new incident, which affects a component if it is opened for one. */
function OnComponent({ componentId, goBack }: OnComponentProps) {
  const components = useQuery<Component[]>(endpoints.components.list);
  // The first row has the status of the component, which is not known yet.
  if (componentId !== null && !components.data && !components.error) return placeholder;
  const affected = components.data?.filter(({ id }) => id === componentId) ?? [];
  return (
    <NewIncident
      start={{
        ...newIncident,
        components: affected.map(({ id, status }) => ({ componentId: id, status })),
      }}
      goBack={goBack}
    />
  );
}

/** The form of a new incident like an earlier one, once that is read. */
function Duplicate({ id, goBack }: { id: string; goBack: () => void }) {
  const earlier = useFreshQuery<Incident>(endpoints.incidents.item(id));
  const attached = useFreshQuery(endpoints.incidents.components(id), readAttached);
  const incident = earlier.response?.data;
  const components = attached.response?.data;
  const isRead = incident !== undefined && components !== undefined;
  useLeaveOnError(
    !isRead && (earlier.error ?? attached.error) !== undefined,
    earlier.error ? 'Error loading incident' : componentsFailed,
    goBack,
  );
  if (incident === undefined || components === undefined) return placeholder;
  return <NewIncident start={duplicateOf(incident, components)} goBack={goBack} />;
}

interface NewIncidentProps {
  /** The first values, without the time. */
  start: NewIncidentValues;
  goBack: () => void;
}

function NewIncident({ start, goBack }: NewIncidentProps) {
  const api = useApi();
  const components = useQuery<Component[]>(endpoints.components.list);
  useErrorToast(components.error !== undefined, componentsFailed);
  const { rows } = useList<Incident>(endpoints.incidents.list);
  const open = rows?.filter(({ status }) => status !== 'RESOLVED') ?? [];
  const [occuredAt] = useState(() => startOfMinute(serverNow()));
  const [isSaved, setSaved] = useState(false);
  const initialValues = { ...start, occuredAt };
  const notify = useNotify();

  const create = useSave<NewIncidentValues & NotifyValues>({
    save: async (values) => {
      await api.post(endpoints.incidents.create, {
        ...incidentInput(values, initialValues),
        notify: notify.of(values, entersResolution(values, initialValues)),
      });
      setSaved(true);
    },
    list: endpoints.incidents.list,
    goBack,
    done: 'Incident Created',
    failed: 'Error while creating incident',
  });

  return (
    <>
      <OpenIncidents incidents={open} />
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
            emptyNote="Without components, the headline of the status page stays as it is."
          />
        )}
        <IncidentNotifyField help="Sends this incident to the subscribers on all channels." />
        <NewlyOpened incidents={open} isSaved={isSaved} />
      </IncidentForm>
    </>
  );
}
