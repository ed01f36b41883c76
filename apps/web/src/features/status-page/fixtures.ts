import type {
  IncidentEntry,
  MaintenanceEntry,
  PublicComponent,
  PublicIncident,
  PublicMaintenance,
  PublicComponentGroup,
  StatusSnapshot,
} from '@/api/types';
import { orderOf } from '@/page-rules/order';
import type { PageState } from './page-state';

/** Data in the server's format, for tests. Each test sets the values it needs. */

export function aComponent(change: Partial<PublicComponent> = {}): PublicComponent {
  return {
    id: 'component-1',
    name: 'Website',
    description: '',
    code: '0123456789ab',
    status: 'OPERATIONAL',
    underMaintenance: false,
    groupId: null,
    position: 1,
    startDate: null,
    onlyShowWhenAffected: false,
    uptime: null,
    createdAt: '2026-11-01T08:00:00.000Z',
    ...change,
  };
}

export function anIncident(change: Partial<PublicIncident> = {}): PublicIncident {
  return {
    id: 'incident-1',
    code: '0123456789ab',
    title: 'Payments fail',
    description: 'Cards are declined.',
    status: 'INVESTIGATING',
    occuredAt: '2026-11-20T09:00:00.000Z',
    resolvedAt: null,
    createdAt: '2026-11-20T09:05:00.000Z',
    IncidentTimeline: [],
    components: [],
    ...change,
  };
}

export function anIncidentEntry(change: Partial<IncidentEntry> = {}): IncidentEntry {
  return {
    id: 'entry-1',
    code: '0123456789ab',
    incidentId: 'incident-1',
    status: 'IDENTIFIED',
    message: 'A provider is down.',
    createdAt: '2026-11-20T09:30:00.000Z',
    displayAt: '2026-11-20T09:30:00.000Z',
    ...change,
  };
}

export function aMaintenance(change: Partial<PublicMaintenance> = {}): PublicMaintenance {
  return {
    id: 'maintenance-1',
    code: '0123456789ab',
    title: 'Database upgrade',
    description: 'Writes pause for a minute.',
    status: 'SCHEDULED',
    startAt: '2026-11-25T01:00:00.000Z',
    endAt: '2026-11-25T02:00:00.000Z',
    createdAt: '2026-11-20T10:00:00.000Z',
    timeline: [],
    components: [],
    ...change,
  };
}

export function aMaintenanceEntry(change: Partial<MaintenanceEntry> = {}): MaintenanceEntry {
  return {
    id: 'entry-2',
    code: '0123456789ab',
    maintenanceId: 'maintenance-1',
    status: 'MONITORING',
    message: 'Half of it is done.',
    createdAt: '2026-11-25T01:30:00.000Z',
    displayAt: '2026-11-25T01:30:00.000Z',
    ...change,
  };
}

export function aGroup(change: Partial<PublicComponentGroup> = {}): PublicComponentGroup {
  return {
    id: 'group-1',
    code: 'abcdefghijkl',
    name: 'Europe',
    description: '',
    position: 1,
    display: 'OPEN',
    status: 'OPERATIONAL',
    underMaintenance: false,
    createdAt: '2026-11-01T08:00:00.000Z',
    updatedAt: '2026-11-01T08:00:00.000Z',
    ...change,
  };
}

export function aSnapshot(change: Partial<StatusSnapshot> = {}): StatusSnapshot & PageState {
  const snapshot: StatusSnapshot = {
    organisation: {
      id: 'org-1',
      code: '0123456789ab',
      name: 'Analytical Engines',
      timeZone: 'Etc/UTC',
      pageTitle: 'Analytical Engines',
      pageDescription: null,
      supportUrl: null,
      url: 'https://status.example.com/status/org-1',
      channels: ['email', 'webhook', 'slack', 'teams', 'discord'],
    },
    groups: [],
    banner: null,
    components: [],
    incidents: [],
    maintenances: [],
    pastTitles: [],
    revision: 7,
    generatedAt: '2026-11-20T12:00:00.000Z',
    ...change,
  };
  return { ...snapshot, order: orderOf(snapshot) };
}
