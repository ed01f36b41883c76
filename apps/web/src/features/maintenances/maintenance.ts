import type { Maintenance as StoredMaintenance, MaintenanceStatus } from '@/api/types';
import { calls } from '@/paths';
import type { Timeline } from '@/updates/timeline';

/** A maintenance as its screens use it: its updates are read on their own. */
export type Maintenance = Omit<StoredMaintenance, 'timeline'>;

/** What the form of a maintenance holds. */
export interface MaintenanceValues {
  title: string;
  description: string;
  /** UTC; '' for none. */
  startAt: string;
  /** UTC; '' for none. */
  endAt: string;
}

export interface NewMaintenanceValues extends MaintenanceValues {
  status: MaintenanceStatus;
}

export function maintenanceValues(maintenance: Maintenance): MaintenanceValues {
  const { title, description, startAt, endAt } = maintenance;
  return { title, description, startAt, endAt: endAt ?? '' };
}

/** The values as the API takes them. */
export function maintenanceInput<Values extends MaintenanceValues>(values: Values) {
  return { ...values, endAt: values.endAt === '' ? null : values.endAt };
}

export function maintenanceTimeline(maintenanceId: string): Timeline {
  const { maintenances } = calls;
  return {
    calls: {
      list: maintenances.updates(maintenanceId),
      item: (updateId) => maintenances.update(maintenanceId, updateId),
      create: maintenances.createUpdate(maintenanceId),
      remove: maintenances.deleteUpdates(maintenanceId),
    },
    idsField: 'maintenanceUpdateIds',
    texts: {
      created: 'Maintenance Update Created',
      modified: 'Maintenance Update Modified',
      saveFailed: 'Error while creating or updating maintenance',
      loadFailed: 'Failed to load maintenance update',
    },
  };
}
