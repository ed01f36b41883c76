import { useApi } from '@/api/api-provider';
import type { ComponentInput } from '@/api/types';
import { useSave } from '@/items/item-form';
import { endpoints, paths } from '@/paths';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { useGoBack } from '@/ui/use-go-back';
import { usePageTitle } from '@/ui/use-page-title';
import { newComponent } from './component';
import { ComponentForm } from './component-form';

export function CreateComponentPage() {
  usePageTitle('Create Component');
  const api = useApi();
  const goBack = useGoBack(paths.components.list);
  const create = useSave<ComponentInput>({
    save: (values) => api.post(endpoints.components.create, values),
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
