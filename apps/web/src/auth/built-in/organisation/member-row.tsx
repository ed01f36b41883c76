import { UserMinus } from 'lucide-react';
import { useState } from 'react';
import type { Member, Role } from '@/auth/built-in/types';
import { Badge } from '@/ui/badge';
import { ConfirmButton } from '@/ui/confirm-button';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { IconButton } from '@/ui/icon-button';
import { Person } from './people-list';
import { RoleSelect } from './role-select';
import { roleLabels } from './roles';
import type { MemberActions } from './use-member-actions';

interface MemberRowProps {
  member: Member;
  /** Whether it is the reader. */
  isSelf: boolean;
  /** Without them the row is for reading. */
  actions?: MemberActions;
}

export function MemberRow({ member, isSelf, actions }: MemberRowProps) {
  const mark = isSelf && <Badge>You</Badge>;
  return (
    <Person name={member.name} mark={mark} detail={member.email}>
      {actions ? (
        <>
          <MemberRole member={member} isSelf={isSelf} onChange={actions.changeRole} />
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
        <Badge>{roleLabels[member.role]}</Badge>
      )}
    </Person>
  );
}

interface MemberRoleProps {
  member: Member;
  isSelf: boolean;
  onChange: MemberActions['changeRole'];
}

function MemberRole({ member, isSelf, onChange }: MemberRoleProps) {
  const [changing, setChanging] = useState(false);
  const [asking, setAsking] = useState(false);

  async function change(role: Role) {
    setChanging(true);
    await onChange(member, role);
    setChanging(false);
  }

  return (
    <div className="w-28">
      <RoleSelect
        aria-label={`Role of ${member.name}`}
        value={member.role}
        disabled={changing}
        onChange={(event) => {
          const role = event.target.value === 'admin' ? 'admin' : 'member';
          if (isSelf && role === 'member') setAsking(true);
          else void change(role);
        }}
      />
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title="Become a member?"
        description="You can no longer change the organisation, its members or its invitations. Another admin can make you one again."
        confirmLabel="Become a member"
        onConfirm={() => change('member')}
      />
    </div>
  );
}
