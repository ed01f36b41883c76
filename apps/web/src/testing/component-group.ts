import type { ComponentGroup } from '@/api/types';

export function componentGroup(name: string, more: Partial<ComponentGroup> = {}): ComponentGroup {
  return {
    id: name.toLowerCase(),
    code: '0123456789ab',
    name,
    description: '',
    position: 1,
    display: 'OPEN',
    status: 'OPERATIONAL',
    underMaintenance: false,
    createdAt: '2026-11-20T10:00:00.000Z',
    updatedAt: '2026-11-20T10:00:00.000Z',
    ...more,
  };
}
