import { UserMinus, UsersRound } from 'lucide-react';
import { useApi } from '@/api/api-provider';
import { useList } from '@/api/use-list';
import { useListInParts } from '@/api/use-list-in-parts';
import { withToast } from '@/auth/built-in/form/with-toast';
import { PeopleList, PeopleSkeleton, Person } from '@/auth/built-in/organisation/people-list';
import type { Waiting } from '@/auth/built-in/types';
import { endpoints } from '@/paths';
import { Button } from '@/ui/button';
import { Card } from '@/ui/card';
import { ConfirmButton } from '@/ui/confirm-button';
import { EmptyState } from '@/ui/empty-state';
import { IconButton } from '@/ui/icon-button';
import { LoadFailure } from '@/ui/load-failure';
import { MailNotice } from '@/ui/mail-notice';
import { PageHeader } from '@/ui/page-header';
import { ShowOlder } from '@/ui/show-older';
import { Timestamp } from '@/ui/timestamp';
import { useErrorToast } from '@/ui/use-error-toast';
import { useKeptFocus } from '@/ui/use-kept-focus';
import { usePageTitle } from '@/ui/use-page-title';
import { usePending } from '@/ui/use-pending';

/** The waitlist, for the administrator of the installation. */
export function WaitlistScreen() {
  const api = useApi();
  const waiting = useListInParts(useList<Waiting>(endpoints.identity.waitlist));
  useErrorToast(waiting.error !== undefined, 'Error while fetching the waitlist');
  usePageTitle('Waitlist');
  const keptFocus = useKeptFocus<HTMLDivElement>();

  async function act(call: () => Promise<unknown>, done: string) {
    await withToast(call, done);
    await waiting.refresh();
  }

  const invite = ({ id, email }: Waiting) =>
    act(
      () => api.post(endpoints.identity.inviteFromWaitlist(id), {}),
      `Invitation sent to ${email}`,
    );
  const remove = ({ id }: Waiting) =>
    act(() => api.delete(endpoints.identity.waitlistEntry(id)), 'Removed from the waitlist');

  return (
    <div className="mx-auto grid w-full max-w-3xl gap-6">
      <PageHeader title="Waitlist" />
      <MailNotice />
      {waiting.error && !waiting.rows ? (
        <LoadFailure
          title="The waitlist could not be loaded"
          reason={waiting.error.message}
          onRetry={waiting.refresh}
        />
      ) : (
        <div {...keptFocus} role="group" aria-label="Waitlist" tabIndex={-1} className="grid gap-6">
          <Card>
            <WaitingPeople waiting={waiting.rows} onInvite={invite} onRemove={remove} />
          </Card>
          <ShowOlder className="justify-self-center" list={waiting} />
        </div>
      )}
    </div>
  );
}

interface WaitingPeopleProps {
  waiting: Waiting[] | undefined;
  onInvite: (waiting: Waiting) => Promise<void>;
  onRemove: (waiting: Waiting) => Promise<void>;
}

function WaitingPeople({ waiting, onInvite, onRemove }: WaitingPeopleProps) {
  if (waiting === undefined) return <PeopleSkeleton />;
  if (waiting.length === 0) {
    return (
      <EmptyState icon={UsersRound} title="Nobody is waiting">
        People who ask for an account at the sign-in page are listed here until you invite them.
      </EmptyState>
    );
  }
  return (
    <PeopleList label="Waitlist">
      {waiting.map((person) => (
        <WaitingRow key={person.id} person={person} onInvite={onInvite} onRemove={onRemove} />
      ))}
    </PeopleList>
  );
}

interface WaitingRowProps {
  person: Waiting;
  onInvite: (person: Waiting) => Promise<void>;
  onRemove: (person: Waiting) => Promise<void>;
}

function WaitingRow({ person, onInvite, onRemove }: WaitingRowProps) {
  const [inviting, run] = usePending();
  return (
    <Person
      name={person.name}
      detail={
        <>
          <span className="block">{person.email}</span>
          <span className="block">
            Since <Timestamp value={person.createdAt} />
          </span>
        </>
      }
    >
      <Button
        pending={inviting}
        aria-label={`Invite ${person.name}`}
        onClick={() => run(() => onInvite(person))}
      >
        {inviting ? 'Inviting...' : 'Invite'}
      </Button>
      <ConfirmButton
        button={(ask) => (
          <IconButton
            label={`Remove ${person.name}`}
            icon={<UserMinus aria-hidden />}
            onClick={ask}
          />
        )}
        title={`Remove ${person.name} from the waitlist?`}
        description="They receive no message. They can ask again at the sign-in page."
        confirmLabel="Remove"
        onConfirm={() => onRemove(person)}
      />
    </Person>
  );
}
