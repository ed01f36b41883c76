import { useQuery } from '@/api/use-query';
import type { AuthOrganisation, AuthUser } from '@/auth/auth';
import type { Member } from '@/auth/built-in/types';
import { calls } from '@/paths';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { LoadFailure } from '@/ui/load-failure';
import { MemberRow } from './member-row';
import { PeopleList, PeopleSkeleton } from './people-list';
import { useMemberActions } from './use-member-actions';

interface MembersCardProps {
  organisation: AuthOrganisation;
  user: AuthUser;
}

export function MembersCard({ organisation, user }: MembersCardProps) {
  const members = useQuery<Member[]>(calls.identity.members(organisation.id));
  const actions = useMemberActions(organisation.id, user.id, members.refresh);

  return (
    <Card>
      <CardHeader title="Members" description={countOf(members.data)} />
      {members.data ? (
        <PeopleList label="Members">
          {members.data.map((member) => (
            <MemberRow
              key={member.userId}
              member={member}
              isSelf={member.userId === user.id}
              {...(organisation.role === 'admin' && { actions })}
            />
          ))}
        </PeopleList>
      ) : members.error ? (
        <CardBody>
          <LoadFailure
            title="The members could not be loaded"
            reason={members.error.message}
            onRetry={() => void members.refresh()}
          />
        </CardBody>
      ) : (
        <PeopleSkeleton />
      )}
    </Card>
  );
}

/** Holds its line while nobody is counted yet. */
function countOf(members: Member[] | undefined): string {
  if (members === undefined) return '…';
  return members.length === 1 ? '1 person' : `${members.length} people`;
}
