import { TriangleAlert } from 'lucide-react';
import { Link, useParams } from 'react-router-dom';
import type { Component } from '@/api/types';
import { AuditLink } from '@/auth/audit-link';
import { Permitted } from '@/auth/permitted';
import { LiveUpdate } from '@/items/live-update';
import { useSave } from '@/items/item-form';
import { useEdit } from '@/items/use-edit';
import { endpoints, paths } from '@/paths';
import { useGroupName } from '@/shared-features/affected/component-groups';
import { buttonVariants } from '@/ui/button-variants';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { componentStatuses } from '@/ui/statuses';
import { Tabs } from '@/ui/tabs';
import { useGoBack } from '@/ui/use-go-back';
import { useLeaveOnError } from '@/ui/use-leave-on-error';
import { useEditTitle } from '@/items/use-edit-title';
import { componentInput, componentValues, newComponent, type ComponentValues } from './component';
import { ComponentForm } from './component-form';
import { HistoryPanel } from './history-panel';

export function EditComponentPage() {
  const { componentId = '' } = useParams();
  return <EditComponent key={componentId} id={componentId} />;
}

function EditComponent({ id }: { id: string }) {
  const edit = useEdit<Component>(endpoints.components.item(id));
  const { loaded } = edit;
  const title = useEditTitle('Component', loaded?.name);
  const groupName = useGroupName();
  const goBack = useGoBack(paths.components.list);
  useLeaveOnError(edit.error !== undefined, 'Error loading component', goBack);
  const update = useSave<ComponentValues>({
    save: (values) =>
      edit.save(componentInput(values, loaded ? componentValues(loaded) : newComponent)),
    list: endpoints.components.list,
    goBack,
    done: 'Component Updated',
    failed: 'Error',
  });

  const form = (
    <ComponentForm
      // A new form replaces the placeholder once the component is loaded.
      key={loaded === undefined ? 'loading' : 'loaded'}
      initialValues={loaded === undefined ? newComponent : componentValues(loaded)}
      loading={loaded === undefined}
      onSubmit={update}
      onCancel={goBack}
      submitLabel="Update"
      pendingLabel="Updating..."
    >
      {loaded && (
        <LiveUpdate
          edit={edit}
          loaded={loaded}
          event="component-update"
          noun="component"
          valuesOf={componentValues}
          describe={(remote) => ({
            name: { label: 'Name', value: remote.name },
            status: { label: 'Status', value: componentStatuses[remote.status].label },
            description: { label: 'Description', value: remote.description || 'Empty' },
            groupId: {
              label: 'Group',
              value: remote.groupId ? (groupName(remote.groupId) ?? 'Unknown') : 'No group',
            },
            showUptime: { label: 'Show uptime', value: remote.showUptime ? 'Yes' : 'No' },
            startDate: { label: 'Uptime counts from', value: remote.startDate || 'Any day' },
            onlyShowWhenAffected: {
              label: 'Only show while affected',
              value: remote.onlyShowWhenAffected ? 'Yes' : 'No',
            },
          })}
        />
      )}
    </ComponentForm>
  );

  return (
    <Card className="mx-auto w-full max-w-5xl" aria-busy={loaded === undefined}>
      <CardHeader
        title={title}
        level={1}
        actions={
          <>
            <Permitted>
              <Link to={paths.incidents.createOn(id)} className={buttonVariants({ size: 'sm' })}>
                <TriangleAlert aria-hidden /> Open Incident
              </Link>
            </Permitted>
            <AuditLink id={id} />
          </>
        }
      />
      <CardBody>
        <Tabs
          label="Component"
          tabs={[
            { value: 'details', label: 'Details', content: form, keepMounted: true },
            { value: 'history', label: 'History', content: <HistoryPanel componentId={id} /> },
          ]}
        />
      </CardBody>
    </Card>
  );
}
