import type { FormikHelpers } from 'formik';
import { useParams } from 'react-router-dom';
import { formErrors } from '@/api/form-errors';
import { withReplaced } from '@/api/list-changes';
import type { Component, ComponentInput } from '@/api/types';
import { useEdit } from '@/api/use-edit';
import { useChangeList, useRefreshList } from '@/api/use-list';
import { calls, paths } from '@/paths';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { toast } from '@/ui/toast';
import { useGoBack } from '@/ui/use-go-back';
import { useLeaveOnError } from '@/ui/use-leave-on-error';
import { usePageTitle } from '@/ui/use-page-title';
import { ComponentConflict } from './component-conflict';
import { ComponentForm } from './component-form';
import { ComponentNews } from './component-news';
import { inputOf, newComponent } from './component-schema';

export function EditComponentPage() {
  const { componentId = '' } = useParams();
  return <EditComponent key={componentId} id={componentId} />;
}

function EditComponent({ id }: { id: string }) {
  usePageTitle('Edit Component');
  const goBack = useGoBack(paths.components.list);
  const changeList = useChangeList<Component>(calls.components.list);
  const refreshList = useRefreshList(calls.components.list);
  const edit = useEdit<Component>(calls.components.item(id));
  const { loaded } = edit;

  useLeaveOnError(edit.error !== undefined, 'Error loading component', goBack);

  async function update(values: ComponentInput, form: FormikHelpers<ComponentInput>) {
    try {
      changeList(withReplaced(await edit.save(values)));
    } catch (error) {
      form.setErrors(formErrors(error));
      form.setStatus(error);
      toast.error('Error');
      return;
    }
    toast.success('Component Updated');
    await refreshList();
    form.resetForm();
    goBack();
  }

  return (
    <Card className="mx-auto w-full max-w-3xl" aria-busy={loaded === undefined}>
      <CardHeader title="Edit Component" level={1} />
      <CardBody>
        <ComponentForm
          // A form of its own once there is something to begin with.
          key={loaded === undefined ? 'loading' : 'loaded'}
          initialValues={loaded === undefined ? newComponent : inputOf(loaded)}
          loading={loaded === undefined}
          onSubmit={update}
          onCancel={goBack}
          submitLabel="Update"
          pendingLabel="Updating..."
        >
          <ComponentConflict edit={edit} />
          {loaded && <ComponentNews edit={edit} loaded={loaded} />}
        </ComponentForm>
      </CardBody>
    </Card>
  );
}
