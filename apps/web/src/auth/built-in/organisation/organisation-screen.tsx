import { useQuery } from '@/api/use-query';
import type { AuthOrganisation } from '@/auth/auth';
import { useSignedIn } from '@/auth/built-in/session-context';
import { calls } from '@/paths';
import { PageHeader } from '@/ui/page-header';
import { usePageTitle } from '@/ui/use-page-title';
import { GeneralCard } from './general-card';
import { InvitationsCard } from './invitations-card';
import { LeavingCard } from './leaving-card';
import { MembersCard } from './members-card';

/** The organisation itself: its admins change it, its members see it. */
export function OrganisationScreen() {
  const session = useSignedIn();
  usePageTitle('Organisation');
  const isSettled = useSettled(session?.organisation ?? null);
  if (session?.organisation == null) return null;
  const { organisation, user } = session;
  return (
    <div className="grid max-w-3xl gap-6">
      <PageHeader title="Organisation" />
      <GeneralCard organisation={organisation} />
      <MembersCard organisation={organisation} user={user} />
      {isSettled && (
        <>
          {organisation.role === 'admin' && <InvitationsCard organisation={organisation} />}
          <LeavingCard organisation={organisation} user={user} />
        </>
      )}
    </div>
  );
}

/** Whether the lists are there, or will not come: what stands below them would move when they do. */
function useSettled(organisation: AuthOrganisation | null): boolean {
  const { id = '', role } = organisation ?? {};
  const members = useQuery(id ? calls.identity.members(id) : null);
  const invitations = useQuery(role === 'admin' ? calls.identity.invitations(id) : null);
  const asked = role === 'admin' ? [members, invitations] : [members];
  return asked.every(({ data, error }) => data !== undefined || error !== undefined);
}
