import { useApi } from '@/api/api-provider';
import { useQuery } from '@/api/use-query';
import type { AuthOrganisation } from '@/auth/auth';
import { withToast } from '@/auth/built-in/form/with-toast';
import { endpoints } from '@/paths';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { Checkbox } from '@/ui/checkbox';
import { GuideLink } from '@/ui/guide-link';
import { LoadFailure } from '@/ui/load-failure';
import { Skeleton } from '@/ui/skeleton';
import { usePending } from '@/ui/use-pending';

/** What the organisation requires of its members. For admins. */
export function SecurityCard({ organisation }: { organisation: AuthOrganisation }) {
  const api = useApi();
  const path = endpoints.identity.factorRequirement(organisation.id);
  const requirement = useQuery<{ required: boolean }>(path);
  const [isSaving, run] = usePending();

  async function change(required: boolean) {
    await withToast(
      () => api.put(path, { required }),
      required ? 'A second factor is required' : 'A second factor is optional',
    );
    await requirement.refresh().catch(() => undefined);
  }

  return (
    <Card>
      <CardHeader
        title="Security"
        actions={<GuideLink guide="security#second-factors" topic="second factors" />}
      />
      <CardBody>
        {requirement.data ? (
          <Checkbox
            label="Require a second factor"
            description="Members without one are asked to add one before they can go on. Only an admin with one can require it."
            checked={requirement.data.required}
            readOnly={isSaving}
            onChange={({ target: { checked } }) => run(() => change(checked))}
          />
        ) : requirement.error ? (
          <LoadFailure
            title="The requirement could not be loaded"
            reason={requirement.error.message}
            onRetry={requirement.refresh}
          />
        ) : (
          <div aria-busy>
            <Skeleton className="h-10" />
          </div>
        )}
      </CardBody>
    </Card>
  );
}
