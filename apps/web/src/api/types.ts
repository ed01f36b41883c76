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

export interface StatusSnapshot {
  organisation: { id: string; name: string };
  /** Null while the organisation has no components. */
  banner: Banner | null;
  components: PublicComponent[];
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
