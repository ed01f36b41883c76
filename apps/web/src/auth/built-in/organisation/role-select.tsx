import type { ComponentProps } from 'react';
import type { Role } from '@/auth/built-in/types';
import { roleNames } from '@/auth/permissions';
import { Select } from '@/ui/select';

/** The least first. */
export const roles = ['viewer', 'editor', 'admin'] as const satisfies Role[];

/** What each role may do. */
export const roleRights: Record<Role, string> = {
  viewer: 'A viewer reads everything and changes nothing.',
  editor:
    'An editor changes content such as components and incidents, but not the organisation, its members, invitations or API keys.',
  admin: 'An admin also changes the organisation, its members, invitations and API keys.',
};

export function RoleSelect(props: Omit<ComponentProps<typeof Select>, 'children'>) {
  return (
    <Select {...props}>
      {roles.map((role) => (
        <option key={role} value={role}>
          {roleNames[role]}
        </option>
      ))}
    </Select>
  );
}
