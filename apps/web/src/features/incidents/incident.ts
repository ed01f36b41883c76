import { array, object, string } from 'yup';
import { instant, oneStatusOf } from '@/api/rules';
import { limits, line, text } from '@/api/text';
import type { ComponentStatus, Incident as StoredIncident, IncidentStatus } from '@/api/types';
import type { ItemKind } from '@/items/item-kind';
import { endpoints } from '@/paths';
import { componentStatuses, incidentStatuses } from '@/ui/statuses';
import type { Timeline } from '@/updates/timeline';

/** An incident without its updates, which are read separately. */
export type Incident = Omit<StoredIncident, 'IncidentTimeline'>;

export const incidentKind: ItemKind<Incident> = {
  noun: 'incident',
  plural: 'incidents',
  endpoints: endpoints.incidents,
  nameOf: (incident) => incident.title,
  listFailed: 'Error while fetching incidents',
  deletion: {
    one: (name) => `“${name}” disappears with its whole timeline, also from the status page.`,
    selected: 'What is selected disappears with its whole timeline, also from the status page.',
    done: 'Incident Deleted',
    failed: 'error',
    selectedDone: 'Incident(s) deleted successfully',
    selectedFailed: 'Failed to delete incidents',
  },
};

/** The values of an incident's form. */
export interface IncidentValues {
  title: string;
  description: string;
  status: IncidentStatus;
  /** UTC; '' if it is missing. */
  occuredAt: string;
}

/** The status of a component that an incident affects. */
export interface Affected {
  /** '' until a component is chosen. */
  componentId: string;
  status: ComponentStatus;
}

export interface AffectedValues {
  components: Affected[];
}

export type NewIncidentValues = IncidentValues & AffectedValues;

/** A component to choose. */
export interface Choice {
  id: string;
  name: string;
}

const details = {
  title: line(limits.name).required('Title is required'),
  description: text(limits.text).required('Description is required'),
  status: oneStatusOf(incidentStatuses),
};

const affected = array()
  .of(
    object({
      componentId: string().required('Component is required'),
      status: oneStatusOf(componentStatuses),
    }),
  )
  .required();

export const newIncidentSchema = object({
  ...details,
  occuredAt: instant('Invalid date format'),
  components: affected,
});

export const incidentSchema = object({
  ...details,
  occuredAt: instant('Please enter a valid date and time'),
});

export const attachSchema = object({
  components: affected.min(1, 'At least one component is required'),
});

export function incidentValues(incident: Incident): IncidentValues {
  const { title, description, status, occuredAt } = incident;
  return { title, description, status, occuredAt };
}

export function incidentTimeline(incidentId: string): Timeline {
  const { incidents } = endpoints;
  return {
    endpoints: {
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
