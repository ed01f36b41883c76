import { useApi } from '@/api/api-provider';
import { useSave } from '@/items/item-form';
import { endpoints, paths } from '@/paths';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { useGoBack } from '@/ui/use-go-back';
import { usePageTitle } from '@/ui/use-page-title';
import { componentInput, newComponent, type ComponentValues } from './component';
import { ComponentForm } from './component-form';

export function CreateComponentPage() {
  usePageTitle('Create Component');
  const api = useApi();
  const goBack = useGoBack(paths.components.list);
  const create = useSave<ComponentValues>({
    save: (values) => api.post(endpoints.components.create, componentInput(values, newComponent)),
    list: endpoints.components.list,
    goBack,
    done: 'Component Created',
    failed: 'Error',
  });

  return (
    <Card className="mx-auto w-full max-w-3xl">
      <CardHeader title="Create Component" level={1} />
      <CardBody>
        <ComponentForm
          isNew
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
