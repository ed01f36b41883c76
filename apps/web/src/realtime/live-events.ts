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
const names: Record<LiveEventName, true> = {
  'component-deleted': true,
  'component-group-deleted': true,
  'component-group-update': true,
  'component-order-updated': true,
  'component-update': true,
  'incident-deleted': true,
  'incident-timeline-deleted': true,
  'incident-updated': true,
  'maintenance-deleted': true,
  'maintenance-timeline-deleted': true,
  'maintenance-timeline-updated': true,
  'maintenance-updated': true,
  'new-component': true,
  'new-component-group': true,
  'new-incident': true,
  'new-maintenance': true,
  'organisation-updated': true,
  'timeline-updated': true,
};

export const liveEventNames = Object.keys(names) as readonly LiveEventName[];
