import type { Metrics } from '@/api/types';

/** The metrics of an organisation in which nothing has happened. */
export function noMetrics(changes: Partial<Metrics> = {}): Metrics {
  return {
    days: 30,
    from: '2026-10-23',
    to: '2026-11-21',
    components: [],
    groups: [],
    incidentsByWeek: [{ week: '2026-11-16', count: 0 }],
    incidentsByComponent: [],
    timeToFirstUpdate: { median: null, longest: null },
    timeToResolve: { median: null, longest: null },
    mails: { sent: 0, failed: 0 },
    ...changes,
  };
}
