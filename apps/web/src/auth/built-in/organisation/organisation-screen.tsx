import { Link } from 'react-router-dom';
import { useList } from '@/api/use-list';
import { useQuery } from '@/api/use-query';
import type { AuthOrganisation, AuthUser } from '@/auth/auth';
import { useKeptPermission, useMay } from '@/auth/permissions';
import { useSignedIn } from '@/auth/built-in/session-context';
import { endpoints, paths } from '@/paths';
import { Alert } from '@/ui/alert';
import { buttonVariants } from '@/ui/button-variants';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { PageHeader } from '@/ui/page-header';
import { usePageTitle } from '@/ui/use-page-title';
import { InvitationsCard } from './invitations-card';
import { LeavingCard } from './leaving-card';
import { MembersCard } from './members-card';
import { SecurityCard } from './security-card';

/** The organisation's name, members and invitations: editable by admins, readable by members. */
export function OrganisationScreen() {
  const session = useSignedIn();
  usePageTitle('Organisation');
  if (session?.organisation == null) return null;
  const { organisation, user } = session;
  // The rows of another organisation do not stay until those of this one are loaded.
  return <OrganisationCards key={organisation.id} organisation={organisation} user={user} />;
}

interface OrganisationCardsProps {
  organisation: AuthOrganisation;
  user: AuthUser;
}

function OrganisationCards({ organisation, user }: OrganisationCardsProps) {
  const administers = useKeptPermission('administer');
  const isSettled = useSettled(organisation.id);
  return (
    <div className="mx-auto grid w-full max-w-3xl gap-4">
      <PageHeader title="Organisation" />
      <GeneralCard organisation={organisation} />
      <MembersCard organisation={organisation} user={user} />
      {isSettled && (
        <>
          {administers && <InvitationsCard organisation={organisation} />}
          {administers && <SecurityCard organisation={organisation} />}
          <LeavingCard organisation={organisation} user={user} />
        </>
      )}
    </div>
  );
}

/** Whether the content is loaded or has failed. Until then, what is below it would move. */
function useSettled(id: string): boolean {
  const isAdmin = useMay('administer');
  const members = useList(endpoints.identity.members(id));
  const invitations = useList(isAdmin ? endpoints.identity.invitations(id) : null);
  const requirement = useQuery(isAdmin ? endpoints.identity.factorRequirement(id) : null);
  const lists = isAdmin ? [members, invitations] : [members];
  return (
    lists.every(({ rows, error }) => rows !== undefined || error !== undefined) &&
    (!isAdmin || requirement.data !== undefined || requirement.error !== undefined)
  );
}

function GeneralCard({ organisation }: { organisation: AuthOrganisation }) {
  const isAdmin = useMay('administer');
  return (
    <Card>
      <CardHeader
        title="General"
        actions={
          isAdmin && (
            <Link to={paths.settings} className={buttonVariants({ size: 'sm' })}>
              Change in Settings
            </Link>
          )
        }
      />
      <CardBody className="grid gap-4">
        <dl>
          <dt className="text-sm font-medium text-muted">Name</dt>
          <dd className="wrap-anywhere text-ink">{organisation.name}</dd>
        </dl>
        {!isAdmin && (
          <Alert>
            Only an admin of the organisation can change it, its members and invitations.
          </Alert>
        )}
      </CardBody>
    </Card>
  );
}
