import type { DeliveryCounts, Subscriber } from '@/api/types';

export const noMail: DeliveryCounts = {
  waiting: 0,
  sent: 0,
  givenUp: 0,
  reasons: [],
  retrying: [],
  days: 30,
};

export function subscriber(name: string, more: Partial<Subscriber> = {}): Subscriber {
  return {
    id: name,
    channel: 'email',
    target: `${name}@example.com`,
    email: `${name}@example.com`,
    status: 'SUBSCRIBED',
    scope: 'ALL',
    components: null,
    groups: null,
    incidentId: null,
    muteMaintenances: false,
    failing: null,
    isVerified: true,
    createdAt: '2026-11-20T10:00:00.000Z',
    ...more,
  };
}

/** The part of a snapshot that the screens of subscribers show. */
export const parts = {
  organisation: { pageTitle: 'Analytical Engines' },
  groups: [{ id: 'eu', name: 'Europe', position: 1 }],
  components: [
    { id: 'web', name: 'Website', groupId: null, position: 2 },
    { id: 'eu-1', name: 'Berlin', groupId: 'eu', position: 1 },
  ],
  incidents: [],
};
