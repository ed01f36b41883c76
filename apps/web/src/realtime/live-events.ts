import type {
  ComponentOrder,
  IncidentEntry,
  MaintenanceEntry,
  PublicComponent,
  PublicComponentGroup,
  PublicIncident,
  PublicMaintenance,
  PublicOrganisation,
} from '@/api/types';

/** The events that the server sends to viewers, by name, with their arguments. */
export interface LiveEventArguments {
  'new-component': [component: PublicComponent];
  'component-update': [component: PublicComponent];
  'component-deleted': [id: string];
  'new-incident': [incident: PublicIncident];
  'incident-updated': [incident: PublicIncident];
  'incident-deleted': [id: string];
  'timeline-updated': [entry: IncidentEntry];
  'incident-timeline-deleted': [incidentId: string, entryId: string];
  'new-maintenance': [maintenance: PublicMaintenance];
  'maintenance-updated': [maintenance: PublicMaintenance];
  'maintenance-deleted': [id: string];
  'maintenance-timeline-updated': [entry: MaintenanceEntry];
  'maintenance-timeline-deleted': [maintenanceId: string, entryId: string];
  'new-component-group': [group: PublicComponentGroup];
  'component-group-update': [group: PublicComponentGroup];
  'component-group-deleted': [id: string];
  'component-order-updated': [order: ComponentOrder];
  'organisation-updated': [organisation: PublicOrganisation];
}

export type LiveEventName = keyof LiveEventArguments;

export type LiveEvent = {
  [Name in LiveEventName]: { name: Name; args: LiveEventArguments[Name] };
}[LiveEventName];

/** An object with every name, so that the compiler misses one that is left out. */
const names: Record<LiveEventName, 0> = {
  'component-deleted': 0,
  'component-group-deleted': 0,
  'component-group-update': 0,
  'component-order-updated': 0,
  'component-update': 0,
  'incident-deleted': 0,
  'incident-timeline-deleted': 0,
  'incident-updated': 0,
  'maintenance-deleted': 0,
  'maintenance-timeline-deleted': 0,
  'maintenance-timeline-updated': 0,
  'maintenance-updated': 0,
  'new-component': 0,
  'new-component-group': 0,
  'new-incident': 0,
  'new-maintenance': 0,
  'organisation-updated': 0,
  'timeline-updated': 0,
};

export const liveEventNames = Object.keys(names) as readonly LiveEventName[];
