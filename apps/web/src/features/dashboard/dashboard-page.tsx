import { Alert } from '@/ui/alert';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { usePageTitle } from '@/ui/use-page-title';

export function DashboardPage() {
  usePageTitle('Dashboard');
  return (
    <Card>
      <CardHeader title="Dashboard" level={1} />
      <CardBody>
        <Alert>Coming Soon: Our dashboard is currently in development...</Alert>
      </CardBody>
    </Card>
  );
}
