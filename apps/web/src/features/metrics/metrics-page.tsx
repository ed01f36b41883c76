import { Alert } from '@/ui/alert';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { usePageTitle } from '@/ui/use-page-title';

export function MetricsPage() {
  usePageTitle('Metrics');
  return (
    <Card>
      <CardHeader title="Metrics" level={1} />
      <CardBody>
        <Alert>Coming Soon: The metrics dashboard is currently under development...</Alert>
      </CardBody>
    </Card>
  );
}
