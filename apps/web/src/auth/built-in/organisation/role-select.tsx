import type { ComponentProps } from 'react';
import type { Role } from '@/auth/built-in/types';
import { Select } from '@/ui/select';

export const roleLabels: Record<Role, string> = { admin: 'Admin', member: 'Member' };

/** The least first. */
export const roles = ['member', 'admin'] as const satisfies Role[];

export function RoleSelect(props: Omit<ComponentProps<typeof Select>, 'children'>) {
  return (
    <Select {...props}>
      {roles.map((role) => (
        <option key={role} value={role}>
          {roleLabels[role]}
        </option>
      ))}
    </Select>
  );
}
