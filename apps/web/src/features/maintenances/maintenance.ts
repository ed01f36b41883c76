import { array, object, string } from 'yup';
import { instant, oneStatusOf, optionalInstant } from '@/api/rules';
import { serverNow } from '@/api/server-clock';
import { limits, line, text } from '@/api/text';
import type { Maintenance as StoredMaintenance, MaintenanceStatus } from '@/api/types';
import type { ItemKind } from '@/items/item-kind';
import { endpoints } from '@/paths';
import type { Affected } from '@/shared-features/affected/affected';
import { maintenanceStatuses } from '@/ui/statuses';

/** A maintenance without its updates, which are read separately. */
export type EditedMaintenance = Omit<StoredMaintenance, 'timeline'>;

/** A maintenance of the list. Events, which add others, do not contain what is never public. */
export type Maintenance = Omit<EditedMaintenance, 'notify'>;

export const maintenanceKind: ItemKind<Maintenance> = {
  noun: 'maintenance',
  plural: 'maintenances',
  endpoints: endpoints.maintenances,
  nameOf: (maintenance) => maintenance.title,
  listFailed: 'Failed to fetch maintenance list',
  deletion: {
    one: (name) => `“${name}” and its updates are deleted, also on the status page.`,
    selected: 'What is selected and its updates are deleted, also on the status page.',
    done: 'Maintenance deleted successfully',
    failed: 'Failed to delete maintenance',
  },
};

/** The values of a maintenance's form. */
export interface MaintenanceValues {
  title: string;
  description: string;
  /** UTC; '' if it is missing. */
  startAt: string;
  /** UTC; '' if it is missing. */
  endAt: string;
  components: Affected[];
}

export interface NewMaintenanceValues extends MaintenanceValues {
  status: MaintenanceStatus;
}

const details = {
  title: line(limits.name).required('Title is required'),
  description: text(limits.text).required('Description is required'),
  endAt: optionalInstant('Invalid date format').when('startAt', ([startAt]: unknown[], endAt) =>
    endAt.test(
      'order',
      'End must not be before start',
      (value) => !value || typeof startAt !== 'string' || isInOrder(startAt, value),
    ),
  ),
  components: array()
    .of(object({ componentId: string().required('Component is required') }))
    .required(),
};

export const newMaintenanceSchema = object({
  ...details,
  startAt: instant('Invalid date format'),
  status: oneStatusOf(maintenanceStatuses),
});

export const maintenanceSchema = object({
  ...details,
  startAt: instant('Please enter a valid date and time'),
});

/** True also for an invalid time, which another rule rejects. */
function isInOrder(start: string, end: string): boolean {
  return !(Date.parse(end) < Date.parse(start));
}

/** Whether a time has passed. False for a missing or invalid time. */
export function isPast(time: string): boolean {
  return Date.parse(time) < serverNow().getTime();
}

export function maintenanceValues(maintenance: Maintenance): MaintenanceValues {
  const { title, description, startAt, endAt, components } = maintenance;
  return {
    title,
    description,
    startAt,
    endAt: endAt ?? '',
    components: components.map(({ componentId }) => ({ componentId })),
  };
}

/**
 * The values of a new maintenance like an earlier one. The times are missing, and so are components
 * that are deleted: `components` are those that exist.
 */
export function duplicateOf(
  maintenance: Maintenance,
  components: readonly { id: string }[],
): NewMaintenanceValues {
  const existing = new Set(components.map(({ id }) => id));
  const values = maintenanceValues(maintenance);
  return {
    ...values,
    startAt: '',
    endAt: '',
    status: 'SCHEDULED',
    components: values.components.filter(({ componentId }) => existing.has(componentId)),
  };
}

export function componentNames({ components }: Pick<Maintenance, 'components'>): string {
  return components.map(({ component }) => component.name).join(', ');
}

/**
 * Converts the values for the API. Without a change of the components they are left out: some may
 * be deleted.
 */
export function maintenanceInput<Values extends MaintenanceValues>(
  { components, ...values }: Values,
  before: Pick<MaintenanceValues, 'components'>,
) {
  const [ids, idsBefore] = [components, before.components].map((rows) =>
    rows.map(({ componentId }) => componentId),
  );
  return {
    ...values,
    endAt: values.endAt === '' ? null : values.endAt,
    ...(String(ids) !== String(idsBefore) && { components: ids }),
  };
}
