import { useSignedIn } from '@/auth/built-in/session-context';
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
  if (session?.organisation == null) return null;
  const { organisation, user } = session;
  return (
    <div className="grid max-w-3xl gap-6">
      <PageHeader title="Organisation" />
      <GeneralCard organisation={organisation} />
      <MembersCard organisation={organisation} user={user} />
      {organisation.role === 'admin' && <InvitationsCard organisation={organisation} />}
      <LeavingCard organisation={organisation} user={user} />
    </div>
  );
}
