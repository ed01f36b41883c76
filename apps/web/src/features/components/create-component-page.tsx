import type { FormikHelpers } from 'formik';
import { useApi } from '@/api/api-provider';
import { formErrors } from '@/api/form-errors';
import { withNew } from '@/api/list-changes';
import type { Component, ComponentInput } from '@/api/types';
import { useChangeList, useRefreshList } from '@/api/use-list';
import { calls, paths } from '@/paths';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { toast } from '@/ui/toast';
import { useGoBack } from '@/ui/use-go-back';
import { usePageTitle } from '@/ui/use-page-title';
import { ComponentForm } from './component-form';
import { newComponent } from './component-schema';

export function CreateComponentPage() {
  usePageTitle('Create Component');
  const api = useApi();
  const goBack = useGoBack(paths.components.list);
  const changeList = useChangeList<Component>(calls.components.list);
  const refreshList = useRefreshList(calls.components.list);

  async function create(values: ComponentInput, form: FormikHelpers<ComponentInput>) {
    try {
      const { data } = await api.post<Component>(calls.components.create, values);
      changeList(withNew(data));
    } catch (error) {
      form.setErrors(formErrors(error));
      form.setStatus(error);
      toast.error('Error');
      return;
    }
    toast.success('Component Created');
    await refreshList();
    form.resetForm();
    goBack();
  }

  return (
    <Card className="mx-auto w-full max-w-3xl">
      <CardHeader title="Create Component" level={1} />
      <CardBody>
        <ComponentForm
          initialValues={newComponent}
          onSubmit={create}
          onCancel={goBack}
          submitLabel="Create"
          pendingLabel="Creating..."
        />
      </CardBody>
    </Card>
  );
}
