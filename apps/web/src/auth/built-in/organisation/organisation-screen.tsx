import { useApi } from '@/api/api-provider';
import { useQuery } from '@/api/use-query';
import type { AuthOrganisation } from '@/auth/auth';
import { permissions } from '@/auth/permissions';
import { useSession, useSignedIn } from '@/auth/built-in/session-context';
import { endpoints } from '@/paths';
import { Alert } from '@/ui/alert';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { FormLeaveGuard } from '@/ui/form-leave-guard';
import { PageHeader } from '@/ui/page-header';
import { toast } from '@/ui/toast';
import { usePageTitle } from '@/ui/use-page-title';
import { InvitationsCard } from './invitations-card';
import { LeavingCard } from './leaving-card';
import { MembersCard } from './members-card';
import { SecurityCard } from './security-card';
import { OrganisationForm, type OrganisationValues } from './organisation-form';

/** The organisation's settings: editable by admins, readable by members. */
export function OrganisationScreen() {
  const session = useSignedIn();
  usePageTitle('Organisation');
  const isSettled = useSettled(session?.organisation ?? null);
  if (session?.organisation == null) return null;
  const { organisation, user } = session;
  return (
    <div className="mx-auto grid w-full max-w-3xl gap-6">
      <PageHeader title="Organisation" />
      <GeneralCard organisation={organisation} />
      <MembersCard organisation={organisation} user={user} />
      {isSettled && (
        <>
          {organisation.role === 'admin' && <InvitationsCard organisation={organisation} />}
          {organisation.role === 'admin' && <SecurityCard organisation={organisation} />}
          <LeavingCard organisation={organisation} user={user} />
        </>
      )}
    </div>
  );
}

/** Whether the content is loaded or has failed. Until then, what is below it would move. */
function useSettled(organisation: AuthOrganisation | null): boolean {
  const { id = '', role } = organisation ?? {};
  const members = useQuery(id ? endpoints.identity.members(id) : null);
  const invitations = useQuery(role === 'admin' ? endpoints.identity.invitations(id) : null);
  const requirement = useQuery(role === 'admin' ? endpoints.identity.factorRequirement(id) : null);
  const asked = role === 'admin' ? [members, invitations, requirement] : [members];
  return asked.every(({ data, error }) => data !== undefined || error !== undefined);
}

function GeneralCard({ organisation }: { organisation: AuthOrganisation }) {
  const api = useApi();
  const { refresh } = useSession();

  async function rename(values: OrganisationValues) {
    await api.patch(endpoints.identity.organisation(organisation.id), values);
    await refresh();
    toast.success('Organisation renamed');
  }

  if (!permissions[organisation.role].includes('administer')) {
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
          // Another name, also from another tab, resets the form.
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
