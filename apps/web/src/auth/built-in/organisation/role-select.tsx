import type { ComponentProps } from 'react';
import { Select } from '@/ui/select';
import { roleLabels, roles } from './roles';

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
