import { UsersRound } from 'lucide-react';
import { useApi } from '@/api/api-provider';
import { useQuery } from '@/api/use-query';
import { failureText } from '@/auth/built-in/form/failure-text';
import { PeopleList, PeopleSkeleton } from '@/auth/built-in/organisation/people-list';
import type { Waiting } from '@/auth/built-in/types';
import { calls } from '@/paths';
import { Card } from '@/ui/card';
import { EmptyState } from '@/ui/empty-state';
import { LoadFailure } from '@/ui/load-failure';
import { PageHeader } from '@/ui/page-header';
import { toast } from '@/ui/toast';
import { usePageTitle } from '@/ui/use-page-title';
import { WaitingRow } from './waiting-row';

/** Who asked for an account, for the installation's administrator. */
export function WaitlistScreen() {
  const api = useApi();
  const waiting = useQuery<Waiting[]>(calls.identity.waitlist);
  usePageTitle('Waitlist');

  async function act(call: () => Promise<unknown>, done: string) {
    try {
      await call();
      toast.success(done);
    } catch (error) {
      toast.error(failureText(error));
    }
    await waiting.refresh();
  }

  const invite = ({ id, email }: Waiting) =>
    act(() => api.post(calls.identity.inviteFromWaitlist(id), {}), `Invitation sent to ${email}`);
  const remove = ({ id }: Waiting) =>
    act(() => api.delete(calls.identity.waitlistEntry(id)), 'Removed from the waitlist');

  return (
    <div className="grid max-w-3xl gap-6">
      <PageHeader title="Waitlist" />
      {waiting.error && !waiting.data ? (
        <LoadFailure
          title="The waitlist could not be loaded"
          reason={waiting.error.message}
          onRetry={() => void waiting.refresh()}
        />
      ) : (
        <Card>
          <WaitingPeople waiting={waiting.data} onInvite={invite} onRemove={remove} />
        </Card>
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
        Whoever asks for an account at the sign-in page is listed here until you invite them.
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
