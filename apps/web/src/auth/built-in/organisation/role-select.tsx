import type { ComponentProps } from 'react';
import type { Role } from '@/auth/built-in/types';
import { roleNames } from '@/auth/permissions';
import { Select } from '@/ui/select';

/** The least first. */
export const roles = ['viewer', 'editor', 'admin'] as const satisfies Role[];

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
