import { useApi } from '@/api/api-provider';
import type { AuthOrganisation } from '@/auth/auth';
import { useSession } from '@/auth/built-in/session-context';
import { calls } from '@/paths';
import { Alert } from '@/ui/alert';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { FormLeaveGuard } from '@/ui/form-leave-guard';
import { toast } from '@/ui/toast';
import { OrganisationForm, type OrganisationValues } from './organisation-form';

export function GeneralCard({ organisation }: { organisation: AuthOrganisation }) {
  const api = useApi();
  const { refresh } = useSession();

  async function rename(values: OrganisationValues) {
    await api.patch(calls.identity.organisation(organisation.id), values);
    await refresh();
    toast.success('Organisation renamed');
  }

  if (organisation.role === 'member') {
    return (
      <Card>
        <CardHeader title="General" />
        <CardBody className="grid gap-4">
          <dl>
            <dt className="text-sm font-medium text-muted">Name</dt>
            <dd className="text-ink">{organisation.name}</dd>
          </dl>
          <Alert>
            Only an admin of the organisation can change it, its members and invitations.
          </Alert>
        </CardBody>
      </Card>
    );
  }
  return (
    <Card>
      <CardHeader title="General" />
      <CardBody>
        <OrganisationForm
          // The form begins anew from a name that has been changed, here or elsewhere.
          key={organisation.name}
          name={organisation.name}
          submitLabel="Save"
          pendingLabel="Saving..."
          layout="end"
          onSubmit={rename}
        >
          <FormLeaveGuard />
        </OrganisationForm>
      </CardBody>
    </Card>
  );
}
