import type { components } from './schema.gen';

/** The types of the API, generated from its OpenAPI document, under the app's names. */
type Schemas = components['schemas'];

export type ComponentStatus = Schemas['ComponentStatus'];
export type IncidentStatus = Schemas['IncidentStatus'];
export type MaintenanceStatus = Schemas['MaintenanceStatus'];
export type SubscriberStatus = Schemas['SubscriberStatus'];

/** RFC 3339, UTC, with milliseconds. */
export type Instant = string;

export type Component = Schemas['Component'];
type ComponentFields = Schemas['ComponentInput'];
export type ComponentInput = ComponentFields &
  Required<Pick<ComponentFields, 'name' | 'status' | 'description'>>;
export type StatusPeriod = Schemas['StatusPeriod'];
export type StatusPeriodInput = Schemas['StatusPeriodInput'];
export type ComponentGroup = Schemas['ComponentGroup'];
export type GroupDisplay = Schemas['GroupDisplay'];
/** The order of the status page. */
export type ComponentOrder = Schemas['ComponentOrder'];
export type Incident = Schemas['Incident'];
export type Review = Schemas['Review'];
export type AttachedComponent = Schemas['IncidentComponent'];
export type Maintenance = Schemas['Maintenance'];
export type Subscriber = Schemas['Subscriber'];
export type SubscriberWithSecret = Schemas['SubscriberWithSecret'];
export type SubscriberInput = Schemas['SubscriberInput'];
/** The result of an import, or of its dry run. */
export type SubscriberImport = Schemas['SubscriberImport'];
export type SubscriberChangeInput = Schemas['SubscriberChangeInput'];
/** A sample message, as a channel gets it. */
export type MessagePreview = Schemas['MessagePreview'];
/** How a subscriber is reached. */
export type Channel = Schemas['Channel'];
/** What a subscriber receives: everything, chosen components and groups, or one incident. */
export type ScopeKind = Schemas['ScopeKind'];
export type DeliveryCounts = Schemas['DeliveryCounts'];
export type Dashboard = Schemas['Dashboard'];
/** An entry of the last changes, with its author. */
export type Change = Schemas['Change'];
/** An item of the audit log. */
export type AuditItem = Schemas['AuditItem'];
export type Metrics = Schemas['Metrics'];
/** An entry of the timeline of an incident or a maintenance, as operators see it. */
export type Update = Pick<
  Schemas['IncidentUpdate'] | Schemas['MaintenanceUpdate'],
  'id' | 'status' | 'message' | 'user' | 'createdAt' | 'displayAt'
>;

export type Banner = Schemas['Banner'];
export type PublicComponent = Schemas['PublicComponent'];
export type PublicComponentGroup = Schemas['PublicComponentGroup'];
/** Uptime over the last 90 days. */
export type PublicUptime = Schemas['PublicUptime'];
/** A public update of an incident: without its author. */
export type IncidentEntry = Schemas['IncidentTimelineEntry'];
export type PublicIncident = Schemas['PublicIncident'];
/** A public update of a maintenance. Its status is an incident status. */
export type MaintenanceEntry = Schemas['MaintenanceEntry'];
export type PublicMaintenance = Schemas['PublicMaintenance'];
export type PastTitle = Schemas['PastTitle'];
export type PublicOrganisation = Schemas['PublicOrganisation'];
/** The content of a status page. Every list is newest first. */
export type StatusSnapshot = Schemas['Snapshot'];

export type OrganisationSettings = Schemas['OrganisationSettings'];
export type OrganisationDomain = NonNullable<OrganisationSettings['domain']>;
/** Whether visitors may subscribe by each channel. */
export type PublicChannels = Schemas['PublicChannels'];
export type OrganisationSettingsInput = Schemas['OrganisationSettingsInput'];
/** An API key without its text. */
export type ApiKey = Schemas['ApiKey'];
/** A new API key with its text, which is shown once. */
export type NewApiKey = Schemas['NewApiKey'];
export type Configuration = Schemas['Configuration'];
