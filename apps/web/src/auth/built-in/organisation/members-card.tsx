import { UserMinus } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '@/api/api-provider';
import { useList, type List } from '@/api/use-list';
import { useListInParts } from '@/api/use-list-in-parts';
import { AuditLink } from '@/auth/audit-link';
import type { AuthOrganisation, AuthUser } from '@/auth/auth';
import { withToast } from '@/auth/built-in/form/with-toast';
import { useSession } from '@/auth/built-in/session-context';
import type { Member, Role } from '@/auth/built-in/types';
import { roleNames, useMay } from '@/auth/permissions';
import { endpoints } from '@/paths';
import { Badge } from '@/ui/badge';
import { Card, CardBody, CardHeader } from '@/ui/card';
import { ConfirmButton } from '@/ui/confirm-button';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { formatCount } from '@/ui/format';
import { IconButton } from '@/ui/icon-button';
import { LoadFailure } from '@/ui/load-failure';
import { toast } from '@/ui/toast';
import { useErrorToast } from '@/ui/use-error-toast';
import { isLastAdmin } from './last-admin';
import { OlderPeople, PeopleList, PeopleSkeleton, Person } from './people-list';
import { roleRights, roles, RoleSelect } from './role-select';

interface MembersCardProps {
  organisation: AuthOrganisation;
  user: AuthUser;
}

export function MembersCard({ organisation, user }: MembersCardProps) {
  const isAdmin = useMay('administer');
  const members = useList<Member>(endpoints.identity.members(organisation.id));
  const shown = useListInParts(members);
  useErrorToast(members.error !== undefined, 'Error while fetching the members');
  const actions = useMemberActions(organisation.id, user.id, members.refresh);

  return (
    <Card>
      <CardHeader title="Members" description={countOf(members)} />
      {shown.rows ? (
        <>
          <PeopleList label="Members">
            {shown.rows.map((member) => (
              <MemberRow
                key={member.userId}
                member={member}
                isSelf={member.userId === user.id}
                isLastAdmin={isLastAdmin(members, member.userId)}
                {...(isAdmin && { actions })}
              />
            ))}
          </PeopleList>
          <OlderPeople label="Older members" list={shown} />
        </>
      ) : members.error ? (
        <CardBody>
          <LoadFailure
            title="The members could not be loaded"
            reason={members.error.message}
            onRetry={members.refresh}
          />
        </CardBody>
      ) : (
        <PeopleSkeleton />
      )}
    </Card>
  );
}

/** A placeholder keeps the line until the members are loaded; undefined if they could not be. */
function countOf({ rows, hasOlder, error }: List<Member>): string | undefined {
  if (rows === undefined) return error ? undefined : '…';
  const count = formatCount(rows.length, 'person', 'people');
  return hasOlder ? `More than ${count}` : count;
}

interface MemberRowProps {
  member: Member;
  /** Whether the member is the signed-in user. */
  isSelf: boolean;
  isLastAdmin: boolean;
  /** Absent for members without the right to change others. */
  actions?: MemberActions;
}

function MemberRow({ member, isSelf, isLastAdmin, actions }: MemberRowProps) {
  const mark = isSelf && <Badge>You</Badge>;
  return (
    <Person name={member.name} mark={mark} detail={member.email}>
      {actions ? (
        <>
          <AuditLink id={member.userId} iconLabel={`Audit log of ${member.name}`} />
          <MemberRole
            member={member}
            isSelf={isSelf}
            isLastAdmin={isLastAdmin}
            onChange={actions.changeRole}
          />
          {isSelf ? (
            <span className="size-8 max-sm:hidden pointer-coarse:size-10" />
          ) : (
            <ConfirmButton
              button={(ask) => (
                <IconButton
                  label={`Remove ${member.name}`}
                  icon={<UserMinus aria-hidden />}
                  onClick={ask}
                />
              )}
              title={`Remove ${member.name}?`}
              description="They lose access to this organisation at once. What they recorded stays."
              confirmLabel="Remove"
              onConfirm={() => actions.remove(member)}
            />
          )}
        </>
      ) : (
        <Badge>{roleNames[member.role]}</Badge>
      )}
    </Person>
  );
}

interface MemberRoleProps {
  member: Member;
  isSelf: boolean;
  isLastAdmin: boolean;
  onChange: MemberActions['changeRole'];
}

/** Changes a role once that is confirmed: an arrow key chooses a role in a closed select. */
function MemberRole({ member, isSelf, isLastAdmin, onChange }: MemberRoleProps) {
  /** The role that waits for a confirmation. */
  const [asked, setAsked] = useState<Role>();
  return (
    <div className="w-28">
      <RoleSelect
        aria-label={`Role of ${member.name}`}
        value={member.role}
        disabled={isLastAdmin}
        title={isLastAdmin ? 'The last admin cannot get another role.' : undefined}
        onChange={(event) => setAsked(roles.find((known) => known === event.target.value))}
      />
      {asked !== undefined && (
        <ConfirmDialog
          open
          onOpenChange={() => setAsked(undefined)}
          {...(isSelf ? ownQuestion(asked) : questionOf(member, asked))}
          onConfirm={() => onChange(member, asked)}
        />
      )}
    </div>
  );
}

const withArticle: Record<Role, string> = {
  viewer: 'a viewer',
  editor: 'an editor',
  admin: 'an admin',
};

function questionOf({ name }: Member, role: Role) {
  return {
    title: `Make ${name} ${withArticle[role]}?`,
    description: roleRights[role],
    confirmLabel: 'Change role',
  };
}

/** For an admin, who gives up rights. */
function ownQuestion(role: Role) {
  return {
    title: `Become ${withArticle[role]}?`,
    description: `You can no longer change the organisation, its members, invitations or API keys${
      role === 'viewer' ? ', or any of its content' : ''
    }. Another admin can make you one again.`,
    confirmLabel: `Become ${withArticle[role]}`,
  };
}

interface MemberActions {
  changeRole: (member: Member, role: Role) => Promise<void>;
  remove: (member: Member) => Promise<void>;
}

/** Changes a member's role or removes a member, then reads the list again. */
function useMemberActions(
  organisationId: string,
  userId: string,
  refreshMembers: () => Promise<void>,
): MemberActions {
  const api = useApi();
  const session = useSession();

  async function act(member: Member, call: () => Promise<unknown>, done: string) {
    await withToast(async () => {
      await call();
      toast.success(done);
      if (member.userId === userId) await session.refresh();
    });
    await refreshMembers();
  }

  const path = (member: Member) => endpoints.identity.member(organisationId, member.userId);
  return {
    changeRole: (member, role) =>
      act(member, () => api.patch(path(member), { role }), 'Role changed'),
    remove: (member) => act(member, () => api.delete(path(member)), 'Member removed'),
  };
}
