import type { Member } from '@/auth/built-in/types';

/** Whether a member is an admin and the only one, who can neither leave nor get another role. */
export function isLastAdmin(members: readonly Member[], userId: string): boolean {
  const admins = members.filter(({ role }) => role === 'admin');
  return admins.length === 1 && admins[0]?.userId === userId;
}
