import type { ComponentProps } from 'react';
import type { Role } from '@/auth/built-in/types';
import { Select } from '@/ui/select';

export const roleLabels: Record<Role, string> = {
  viewer: 'Viewer',
  editor: 'Editor',
  admin: 'Admin',
};

/** The least first. */
export const roles = ['viewer', 'editor', 'admin'] as const satisfies Role[];

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
