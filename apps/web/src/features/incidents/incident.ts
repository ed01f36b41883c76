import type { ComponentStatus, Incident as StoredIncident, IncidentStatus } from '@/api/types';
import { calls } from '@/paths';
import type { Timeline } from '@/updates/timeline';

/** An incident as its screens use it: its updates are read on their own. */
export type Incident = Omit<StoredIncident, 'IncidentTimeline'>;

/** What the form of an incident holds. */
export interface IncidentValues {
  title: string;
  description: string;
  status: IncidentStatus;
  /** UTC; '' for none. */
  occuredAt: string;
}

/** A component that an incident is to affect, and the status it puts on it. */
export interface Affected {
  /** '' until one is picked. */
  componentId: string;
  status: ComponentStatus;
}

export interface AffectedValues {
  components: Affected[];
}

export type NewIncidentValues = IncidentValues & AffectedValues;

/** A component that can be picked. */
export interface Choice {
  id: string;
  name: string;
}

export function incidentTimeline(incidentId: string): Timeline {
  const { incidents } = calls;
  return {
    calls: {
      list: incidents.updates(incidentId),
      item: (updateId) => incidents.update(incidentId, updateId),
      create: incidents.createUpdate(incidentId),
      remove: incidents.deleteUpdates(incidentId),
    },
    idsField: 'incidentUpdateIds',
    texts: {
      created: 'Incident Update Created',
      modified: 'Incident Update Modified',
      saveFailed: 'Error while creating or updating incident',
      loadFailed: 'Failed to load incident update',
    },
  };
}

export function incidentValues(incident: Incident): IncidentValues {
  const { title, description, status, occuredAt } = incident;
  return { title, description, status, occuredAt };
}
