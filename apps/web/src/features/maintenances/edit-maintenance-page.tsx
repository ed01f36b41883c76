import { useParams } from 'react-router-dom';
import { useListCache } from '@/api/list-cache';
import { AuditLink } from '@/auth/audit-link';
import { Permitted } from '@/auth/permitted';
import { LiveUpdate } from '@/items/live-update';
import { useSave } from '@/items/item-form';
import { NotifyField, useNotify, type NotifyValues } from '@/items/notify-field';
import { PublicPageLink } from '@/items/public-page-link';
import { useEdit } from '@/items/use-edit';
import { endpoints, paths } from '@/paths';
import {
  CompleteMaintenance,
  CompletionQuestion,
} from '@/shared-features/completion/complete-maintenance';
import { maintenanceTimeline } from '@/shared-features/updates/maintenance-timeline';
import { UpdatesPanel } from '@/shared-features/updates/updates-panel';
import { StatusBadge } from '@/ui/badge';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { FormSkeleton } from '@/ui/form-skeleton';
import { maintenanceStatuses } from '@/ui/statuses';
import { Timestamp } from '@/ui/timestamp';
import { useGoBack } from '@/ui/use-go-back';
import { useLeaveOnError } from '@/ui/use-leave-on-error';
import { useEditTitle } from '@/items/use-edit-title';
import { AffectedComponents } from './affected-components';
import { Cancellation, type StatusChange } from './cancellation';
import {
  componentNames,
  maintenanceInput,
  maintenanceSchema,
  maintenanceValues,
  type EditedMaintenance,
  type MaintenanceValues,
} from './maintenance';
import { MaintenanceForm } from './maintenance-form';

const { list, item } = endpoints.maintenances;

export function EditMaintenancePage() {
  const { maintenanceId = '' } = useParams();
  return <EditMaintenance key={maintenanceId} id={maintenanceId} />;
}

function EditMaintenance({ id }: { id: string }) {
  const edit = useEdit<EditedMaintenance>(item(id));
  const { loaded } = edit;
  const title = useEditTitle('Maintenance', loaded?.title);
  const listCache = useListCache();
  const goBack = useGoBack(paths.schedules.list);
  useLeaveOnError(edit.error !== undefined, 'Error loading maintenance', goBack);
  const notify = useNotify(loaded?.notify);
  const update = useSave<MaintenanceValues & NotifyValues>({
    save: (values) => {
      const before = loaded ? maintenanceValues(loaded) : values;
      return edit.save({ ...maintenanceInput(values, before), notify: notify.of(values) });
    },
    list,
    goBack,
    done: 'Maintenance Updated',
    failed: 'Error while updating maintenance',
  });

  async function setStatus(change: StatusChange) {
    await edit.save(change);
    await Promise.all([edit.refresh(), listCache.refresh(list)]);
  }

  return (
    <div className="mx-auto grid w-full max-w-5xl min-w-0 gap-6">
      <Card>
        <CardHeader
          title={title}
          level={1}
          actions={
            <>
              <PublicPageLink path={loaded && paths.publicPages.maintenance(loaded.code)} />
              <AuditLink id={id} />
            </>
          }
        />
        <CardBody className="grid gap-5">
          {loaded && (
            <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
              <StatusBadge {...maintenanceStatuses[loaded.status]} />
              <Permitted>
                <CompletionQuestion onCompleted={edit.refresh}>
                  {loaded.status === 'IN_PROGRESS' && <CompleteMaintenance maintenance={loaded} />}
                </CompletionQuestion>
                <Cancellation status={loaded.status} notify={loaded.notify} onSet={setStatus} />
              </Permitted>
            </div>
          )}
          {loaded === undefined ? (
            <FormSkeleton fields={['line', ['line', 'line'], 'text']} />
          ) : (
            <MaintenanceForm
              initialValues={maintenanceValues(loaded)}
              isCancelled={loaded.status === 'CANCELLED'}
              loading={notify.isLoading}
              validationSchema={maintenanceSchema}
              onSubmit={update}
              onCancel={goBack}
              submitLabel="Update Maintenance"
              pendingLabel="Updating..."
            >
              <AffectedComponents current={loaded.components} />
              <NotifyField
                stored={loaded.notify}
                help="Sends a message to the subscribers if you change the times, and when the maintenance begins and ends."
              />
              <LiveUpdate
                edit={edit}
                loaded={loaded}
                event="maintenance-updated"
                noun="maintenance"
                valuesOf={maintenanceValues}
                describe={(remote) => ({
                  title: { label: 'Title', value: remote.title },
                  startAt: { label: 'Start at', value: <Timestamp value={remote.startAt} /> },
                  endAt: { label: 'End at', value: <Timestamp value={remote.endAt} /> },
                  description: { label: 'Description', value: remote.description },
                  components: {
                    label: 'Affected Components',
                    value: componentNames(edit.remoteVersion ?? loaded),
                  },
                })}
              />
            </MaintenanceForm>
          )}
        </CardBody>
      </Card>
      {loaded && (
        <Card>
          <CardHeader title="Updates" />
          <CardBody>
            <UpdatesPanel
              timeline={maintenanceTimeline(loaded)}
              about={loaded.title}
              status={maintenanceStatuses[loaded.status]}
              onChange={edit.refresh}
            />
          </CardBody>
        </Card>
      )}
    </div>
  );
}
