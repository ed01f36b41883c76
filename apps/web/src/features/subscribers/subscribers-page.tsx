import { Alert } from '@/ui/alert';
import { PageHeader } from '@/ui/page-header';
import { usePageTitle } from '@/ui/use-page-title';

export function SubscribersPage() {
  usePageTitle('Subscribers');
  return (
    <div className="grid min-w-0 gap-4">
      <PageHeader title="Subscribers" />
      <Alert>
        Coming Soon: Here you will see who gets your updates by e-mail. Until then nobody can
        subscribe.
      </Alert>
    </div>
  );
}
