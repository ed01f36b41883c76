/** The shapes of the API, by hand until they are generated from its OpenAPI document. */

export type ComponentStatus = 'OPERATIONAL' | 'DEGRADED' | 'PARTIAL_OUTAGE' | 'MAJOR_OUTAGE';
export type IncidentStatus = 'INVESTIGATING' | 'IDENTIFIED' | 'MONITORING' | 'RESOLVED';
export type MaintenanceStatus = 'SCHEDULED' | 'IN_PROGRESS' | 'COMPLETED' | 'CANCELLED';
export type SubscriberStatus = 'PENDING' | 'SUBSCRIBED' | 'UNSUBSCRIBED';

/** RFC 3339, UTC, with milliseconds. */
export type Instant = string;

export interface Component {
  id: string;
  name: string;
  description: string;
  status: ComponentStatus;
  createdAt: Instant;
  updatedAt: Instant;
}

export interface ComponentInput {
  name: string;
  description: string;
  status: ComponentStatus;
}

export interface PublicComponent {
  id: string;
  name: string;
  description: string;
  status: ComponentStatus;
  createdAt: Instant;
}

export interface Banner {
  operational: boolean;
  text: string;
}

/** An update of an incident as the public sees it: without who recorded it. */
export interface IncidentEntry {
  id: string;
  incidentId: string;
  status: IncidentStatus;
  message: string;
  createdAt: Instant;
}

/** A component that an incident affects, and the status the incident holds on it. */
export interface AffectedComponent {
  componentId: string;
  status: ComponentStatus;
  component: { id: string; name: string };
}

export interface PublicIncident {
  id: string;
  title: string;
  description: string;
  status: IncidentStatus;
  occuredAt: Instant;
  resolvedAt: Instant | null;
  createdAt: Instant;
  /** Newest first. */
  IncidentTimeline: IncidentEntry[];
  components: AffectedComponent[];
}

/** An update of a maintenance as the public sees it; its status is one of an incident's. */
export interface MaintenanceEntry {
  id: string;
  maintenanceId: string;
  status: IncidentStatus;
  message: string;
  createdAt: Instant;
}

export interface PublicMaintenance {
  id: string;
  title: string;
  description: string;
  /** Derived from the times and the clock by the server, which tells of every change. */
  status: MaintenanceStatus;
  startAt: Instant;
  endAt: Instant | null;
  createdAt: Instant;
  /** Newest first. */
  timeline: MaintenanceEntry[];
}

/** Everything a status page shows. Every list is newest first. */
export interface StatusSnapshot {
  organisation: { id: string; name: string };
  /** Null while the organisation has no components. */
  banner: Banner | null;
  components: PublicComponent[];
  incidents: PublicIncident[];
  maintenances: PublicMaintenance[];
  revision: number;
  generatedAt: Instant;
}

export interface Configuration {
  identityProvider: 'built-in' | 'clerk';
  clerkPublishableKey: string | null;
  signUp: 'open' | 'waitlist' | 'closed';
  /** No account exists yet: the next sign-up administers the installation. */
  firstAccount: boolean;
  discordUrl: string | null;
  sponsorUrl: string | null;
  version: string;
}
