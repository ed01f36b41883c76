import type { DeliveryCounts, Subscriber } from '@/api/types';

export const noMail: DeliveryCounts = { waiting: 0, sent: 0, givenUp: 0, reasons: [], days: 30 };

export function subscriber(name: string, more: Partial<Subscriber> = {}): Subscriber {
  return {
    id: name,
    email: `${name}@example.com`,
    status: 'SUBSCRIBED',
    isVerified: true,
    createdAt: '2026-11-20T10:00:00.000Z',
    ...more,
  };
}
