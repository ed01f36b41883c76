import type { Change, Dashboard } from '@/api/types';

/** The dashboard of an organisation with one operational component. */
export function aDashboard(changes: Partial<Dashboard> = {}): Dashboard {
  return {
    banner: { operational: true, text: 'All Systems Operational' },
    incidents: [],
    components: [],
    impacts: [],
    maintenances: [],
    subscribers: { total: 0, subscribed: 0, pending: 0, failing: 0 },
    deliveries: { waiting: 0, failed: 0 },
    changes: [],
    ...changes,
  };
}

export function aChange(changes: Partial<Change> = {}): Change {
  return {
    id: 'change-1',
    createdAt: '2026-11-21T13:07:16.000Z',
    actor: { type: 'USER', id: 'user-1', name: 'Ada Lovelace' },
    action: 'component.created',
    target: { type: 'COMPONENT', id: 'component-1', name: 'API' },
    requestId: 'request-1',
    ...changes,
  };
}
