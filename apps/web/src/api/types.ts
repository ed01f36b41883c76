import type { components } from './schema.gen';

/** The shapes of the API, by the names the app uses; generated from its OpenAPI document. */
type Schemas = components['schemas'];

export type ComponentStatus = Schemas['ComponentStatus'];
export type IncidentStatus = Schemas['IncidentStatus'];
export type MaintenanceStatus = Schemas['MaintenanceStatus'];
export type SubscriberStatus = Schemas['SubscriberStatus'];

/** RFC 3339, UTC, with milliseconds. */
export type Instant = string;

export type Component = Schemas['Component'];
export type ComponentInput = Required<Schemas['ComponentInput']>;
export type Incident = Schemas['Incident'];
export type AttachedComponent = Schemas['IncidentComponent'];
export type Maintenance = Schemas['Maintenance'];
export type Subscriber = Schemas['Subscriber'];
export type DeliveryCounts = Schemas['DeliveryCounts'];
export type Update = Schemas['IncidentUpdate'] | Schemas['MaintenanceUpdate'];

export type Banner = Schemas['Banner'];
export type PublicComponent = Schemas['PublicComponent'];
/** An update of an incident as the public sees it: without who recorded it. */
export type IncidentEntry = Schemas['IncidentTimelineEntry'];
/** A component that an incident affects, and the status the incident holds on it. */
export type AffectedComponent = Schemas['AffectedComponent'];
export type PublicIncident = Schemas['PublicIncident'];
/** An update of a maintenance as the public sees it; its status is one of an incident's. */
export type MaintenanceEntry = Schemas['MaintenanceEntry'];
export type PublicMaintenance = Schemas['PublicMaintenance'];
/** Everything a status page shows. Every list is newest first. */
export type StatusSnapshot = Schemas['Snapshot'];

export type Configuration = Schemas['Configuration'];
