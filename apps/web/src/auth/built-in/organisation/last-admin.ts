import type { List } from '@/api/use-list';
import type { Member } from '@/auth/built-in/types';

/**
 * Whether a member is an admin and the only one, who can neither leave nor get another role. False
 * until all members are loaded; the server refuses it anyway.
 */
export function isLastAdmin(
  { rows = [], hasOlder }: Pick<List<Member>, 'rows' | 'hasOlder'>,
  userId: string,
): boolean {
  const admins = rows.filter(({ role }) => role === 'admin');
  return !hasOlder && admins.length === 1 && admins[0]?.userId === userId;
}
