import { array, object, string } from 'yup';
import { instant, isNotInFuture, oneStatusOf, optionalInstant } from '@/api/rules';
import { limits, line, text } from '@/api/text';
import type {
  AttachedComponent,
  ComponentStatus,
  Incident as StoredIncident,
  IncidentStatus,
} from '@/api/types';
import type { ItemKind } from '@/items/item-kind';
import { endpoints } from '@/paths';
import type { Affected } from '@/shared-features/affected/affected';
import { componentStatuses, incidentStatuses } from '@/ui/statuses';

/** An incident without its updates, which are read separately. */
export type Incident = Omit<StoredIncident, 'IncidentTimeline'>;

export const incidentKind: ItemKind<Incident> = {
  noun: 'incident',
  plural: 'incidents',
  endpoints: endpoints.incidents,
  nameOf: (incident) => incident.title,
  listFailed: 'Error while fetching incidents',
  deletion: {
    one: (name) =>
      `“${name}” and its updates are deleted, also on the status page. The downtime that it caused stays in the uptime.`,
    selected:
      'What is selected and its updates are deleted, also on the status page. The downtime that it caused stays in the uptime.',
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
  /** UTC; '' if it is missing. It belongs to RESOLVED. */
  resolvedAt: string;
}

export interface IncidentAffectedValues {
  components: (Affected & { status: ComponentStatus })[];
}

export const newAffected: IncidentAffectedValues['components'][number] = {
  componentId: '',
  status: 'OPERATIONAL',
};

export type NewIncidentValues = IncidentValues & IncidentAffectedValues;

/** The first values of a new incident. */
export const newIncident: NewIncidentValues = {
  title: '',
  description: '',
  status: 'INVESTIGATING',
  occuredAt: '',
  resolvedAt: '',
  components: [],
};

/** The first values of a new incident like an earlier one with these components. */
export function duplicateOf(
  { title, description }: Incident,
  attached: readonly AttachedComponent[],
): NewIncidentValues {
  return {
    ...newIncident,
    title,
    description,
    components: attached.map(({ componentId, status }) => ({ componentId, status })),
  };
}

const details = {
  title: line(limits.name).required('Title is required'),
  description: text(limits.text).required('Description is required'),
  status: oneStatusOf(incidentStatuses),
};

/**
 * Rule for the time of resolution. The stored times of `before` may have any order, because updates
 * set them too.
 */
const resolution = (before?: IncidentValues) =>
  optionalInstant('Please enter a valid date and time').when(
    ['status', 'occuredAt'],
    ([status, occuredAt]: unknown[], resolvedAt) => {
      if (status !== 'RESOLVED' || typeof occuredAt !== 'string') return resolvedAt;
      const isStored = (value: string) =>
        value === before?.resolvedAt && occuredAt === before.occuredAt;
      return resolvedAt
        .test(
          'order',
          'Resolution must not be before the incident',
          (value) => !value || isStored(value) || !(Date.parse(value) < Date.parse(occuredAt)),
        )
        .test('past', 'Resolution must not be in the future', isNotInFuture);
    },
  );

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
  resolvedAt: resolution(),
  components: affected,
});

/** Rules for an existing incident, whose form began with `before`. */
export const incidentSchema = (before: IncidentValues) =>
  object({
    ...details,
    occuredAt: instant('Please enter a valid date and time'),
    resolvedAt: resolution(before),
  });

export const attachSchema = object({
  components: affected.min(1, 'At least one component is required'),
});

export function incidentValues(incident: Incident): IncidentValues {
  const { title, description, status, occuredAt, resolvedAt } = incident;
  return { title, description, status, occuredAt, resolvedAt: resolvedAt ?? '' };
}

/** Whether the user enters when the incident was resolved. */
export function entersResolution(
  { status, resolvedAt }: IncidentValues,
  before: IncidentValues,
): boolean {
  return status === 'RESOLVED' && resolvedAt !== '' && resolvedAt !== before.resolvedAt;
}

/** Converts the values for the API. `before` are those that the form began with. */
export function incidentInput<Values extends IncidentValues>(
  { resolvedAt, ...values }: Values,
  before: IncidentValues,
) {
  return entersResolution({ ...values, resolvedAt }, before) ? { ...values, resolvedAt } : values;
}
