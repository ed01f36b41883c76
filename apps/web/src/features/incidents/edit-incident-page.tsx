import { CopyPlus } from 'lucide-react';
import { Link, useLocation, useParams } from 'react-router-dom';
import { AuditLink } from '@/auth/audit-link';
import { Permitted } from '@/auth/permitted';
import { LiveUpdate } from '@/items/live-update';
import { useSave } from '@/items/item-form';
import { useNotify, type NotifyValues } from '@/items/notify-field';
import { PublicPageLink } from '@/items/public-page-link';
import { useEdit } from '@/items/use-edit';
import { endpoints, paths } from '@/paths';
import { impactsOf } from '@/shared-features/affected/impact-fields';
import { incidentTimeline } from '@/shared-features/updates/incident-timeline';
import { UpdatesPanel } from '@/shared-features/updates/updates-panel';
import { buttonVariants } from '@/ui/button-variants';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { formatInstant } from '@/ui/datetime';
import { FormSkeleton } from '@/ui/form-skeleton';
import { incidentStatuses } from '@/ui/statuses';
import { Tabs } from '@/ui/tabs';
import { Timestamp } from '@/ui/timestamp';
import { useGoBack } from '@/ui/use-go-back';
import { useLeaveOnError } from '@/ui/use-leave-on-error';
import { useEditTitle } from '@/items/use-edit-title';
import { AttachedComponents } from './attached-components';
import {
  incidentInput,
  incidentSchema,
  incidentValues,
  entersResolution,
  type Incident,
  type IncidentValues,
} from './incident';
import { IncidentForm, IncidentNotifyField } from './incident-form';
import { ReviewPanel } from './review-panel';

export function EditIncidentPage() {
  const { incidentId = '' } = useParams();
  return <EditIncident key={incidentId} id={incidentId} />;
}

function EditIncident({ id }: { id: string }) {
  const edit = useEdit<Incident>(endpoints.incidents.item(id));
  const { loaded } = edit;
  const title = useEditTitle('Incident', loaded?.title);
  const goBack = useGoBack(paths.incidents.list);
  useLeaveOnError(edit.error !== undefined, 'Error loading component', goBack);
  const notify = useNotify();
  const update = useSave<IncidentValues & NotifyValues>({
    save: (values) => {
      const before = loaded ? incidentValues(loaded) : values;
      return edit.save({
        ...incidentInput(values, before),
        notify: notify.of(values, entersResolution(values, before)),
      });
    },
    list: endpoints.incidents.list,
    goBack,
    done: 'Incident Created',
    failed: 'Error while creating incident',
  });

  return (
    <div className="mx-auto grid w-full max-w-5xl min-w-0 gap-6">
      <Card>
        <CardHeader
          title={title}
          level={1}
          actions={
            <>
              <PublicPageLink path={loaded && paths.publicPages.incident(loaded.code)} />
              <Permitted>
                <Link
                  to={paths.incidents.duplicate(id)}
                  // The save leads to the list, not back to this incident.
                  replace
                  className={buttonVariants({ size: 'sm' })}
                >
                  <CopyPlus aria-hidden /> Duplicate
                </Link>
              </Permitted>
              <AuditLink id={id} />
            </>
          }
        />
        <CardBody>
          {loaded === undefined ? (
            <FormSkeleton fields={['line', 'line', 'line', 'text']} />
          ) : (
            <IncidentForm
              initialValues={incidentValues(loaded)}
              loading={notify.isLoading}
              validationSchema={incidentSchema(incidentValues(loaded))}
              onSubmit={update}
              onCancel={goBack}
              submitLabel="Update Incident"
              pendingLabel="Updating..."
            >
              <IncidentNotifyField help="Sends a message to the subscribers only if you change the status." />
              <LiveUpdate
                edit={edit}
                loaded={loaded}
                event="incident-updated"
                noun="incident"
                valuesOf={incidentValues}
                describe={(remote) => ({
                  title: { label: 'Title', value: remote.title },
                  status: { label: 'Status', value: incidentStatuses[remote.status].label },
                  occuredAt: { label: 'Occurred at', value: formatInstant(remote.occuredAt) },
                  resolvedAt: {
                    label: 'Resolved at',
                    value: <Timestamp value={remote.resolvedAt} />,
                  },
                  description: { label: 'Description', value: remote.description },
                })}
              />
            </IncidentForm>
          )}
        </CardBody>
      </Card>
      {edit.newest && <IncidentTabs incident={edit.newest} onChange={edit.refresh} />}
    </div>
  );
}

interface IncidentTabsProps {
  incident: Incident;
  /** Called when a change on a tab may have changed the incident. */
  onChange: () => Promise<unknown>;
}

function IncidentTabs({ incident, onChange }: IncidentTabsProps) {
  const resolved = incident.status === 'RESOLVED';
  const { key, search } = useLocation();
  const isComponents = new URLSearchParams(search).get('tab') === 'components';
  return (
    <Tabs
      // A link to the components opens their tab, also from another tab.
      key={key}
      label="Incident"
      defaultValue={isComponents ? 'components' : 'updates'}
      tabs={[
        {
          value: 'components',
          label: 'Components',
          content: <AttachedComponents incidentId={incident.id} onChange={onChange} />,
        },
        {
          value: 'updates',
          label: 'Updates',
          content: (
            <UpdatesPanel
              timeline={incidentTimeline(incident.id)}
              about={incident.title}
              status={incidentStatuses[incident.status]}
              incident={incident}
              closed={resolved ? 'A resolved incident takes no new updates.' : undefined}
              impacts={impactsOf(incident.id)}
              onChange={onChange}
            />
          ),
        },
        {
          value: 'review',
          label: 'Review',
          content: <ReviewPanel incident={incident} />,
          keepMounted: 'once-opened',
        },
      ]}
    />
  );
}
