import type { Component } from '@/api/types';

export function component(name: string, more: Partial<Component> = {}): Component {
  return {
    id: name.toLowerCase(),
    name,
    description: '',
    code: '0123456789ab',
    status: 'OPERATIONAL',
    underMaintenance: false,
    groupId: null,
    position: 1,
    showUptime: true,
    startDate: '2026-11-20',
    onlyShowWhenAffected: false,
    createdAt: '2026-11-20T10:00:00.000Z',
    updatedAt: '2026-11-20T10:00:00.000Z',
    ...more,
  };
}
