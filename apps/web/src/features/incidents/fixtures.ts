import type { AttachedComponent, Component } from '@/api/types';
import type { Incident } from './incident';

export function anIncident(changes: Partial<Incident> = {}): Incident {
  return {
    id: 'incident-1',
    code: '0123456789ab',
    title: 'Checkout fails',
    description: 'Payments are refused.',
    status: 'INVESTIGATING',
    occuredAt: '2026-07-15T09:30:12.500Z',
    resolvedAt: null,
    createdAt: '2026-11-21T13:07:16.000Z',
    updatedAt: '2026-11-21T13:07:16.000Z',
    ...changes,
  };
}

export function aComponent(name: string): Component {
  return {
    id: `id-${name}`,
    name,
    description: '',
    status: 'OPERATIONAL',
    underMaintenance: false,
    code: '0123456789ab',
    groupId: null,
    position: 1,
    showUptime: true,
    startDate: null,
    onlyShowWhenAffected: false,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
  };
}

export function anAttached(name: string): AttachedComponent {
  return {
    componentId: `id-${name}`,
    status: 'PARTIAL_OUTAGE',
    component: {
      id: `id-${name}`,
      code: '0123456789ab',
      name,
      status: 'OPERATIONAL',
    },
  };
}
