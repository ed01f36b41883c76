import { useApi } from '@/api/api-provider';
import { failureText } from '@/auth/built-in/form/failure-text';
import { useSession } from '@/auth/built-in/session-context';
import type { Member, Role } from '@/auth/built-in/types';
import { calls } from '@/paths';
import { toast } from '@/ui/toast';

export interface MemberActions {
  changeRole: (member: Member, role: Role) => Promise<void>;
  remove: (member: Member) => Promise<void>;
}

/** What an admin does about a member. Whatever comes of it, the list is read anew. */
export function useMemberActions(
  organisationId: string,
  userId: string,
  refreshMembers: () => Promise<void>,
): MemberActions {
  const api = useApi();
  const session = useSession();

  async function act(member: Member, call: () => Promise<unknown>, done: string) {
    try {
      await call();
      toast.success(done);
      if (member.userId === userId) await session.refresh();
    } catch (error) {
      toast.error(failureText(error));
    } finally {
      await refreshMembers().catch(() => undefined);
    }
  }

  const path = (member: Member) => calls.identity.member(organisationId, member.userId);
  return {
    changeRole: (member, role) =>
      act(member, () => api.patch(path(member), { role }), 'Role changed'),
    remove: (member) => act(member, () => api.delete(path(member)), 'Member removed'),
  };
}
