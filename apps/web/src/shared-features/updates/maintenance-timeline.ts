import { endpoints } from '@/paths';
import type { Timeline } from './timeline';

interface MaintenanceChoice {
  id: string;
  /** The last choice whether the maintenance notifies; undefined while it is read. */
  notify: boolean | undefined;
}

/** The updates of a maintenance. */
export function maintenanceTimeline({ id, notify }: MaintenanceChoice): Timeline {
  const { maintenances } = endpoints;
  return {
    noun: 'maintenance',
    endpoints: {
      list: maintenances.updates(id),
      item: (updateId) => maintenances.update(id, updateId),
      create: maintenances.createUpdate(id),
      remove: maintenances.deleteUpdates(id),
    },
    idsField: 'maintenanceUpdateIds',
    notifyHelp: { record: 'Sends this update to the subscribers on all channels.' },
    notifies: notify,
    texts: {
      created: 'Maintenance Update Created',
      modified: 'Maintenance Update Modified',
      saveFailed: 'Error while creating or updating maintenance',
      loadFailed: 'Failed to load maintenance update',
    },
  };
}
