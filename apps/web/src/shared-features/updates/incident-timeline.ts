import { endpoints } from '@/paths';
import type { Timeline } from './timeline';

/** The updates of an incident. */
export function incidentTimeline(incidentId: string): Timeline {
  const { incidents } = endpoints;
  return {
    noun: 'incident',
    endpoints: {
      list: incidents.updates(incidentId),
      item: (updateId) => incidents.update(incidentId, updateId),
      create: incidents.createUpdate(incidentId),
      remove: incidents.deleteUpdates(incidentId),
    },
    idsField: 'incidentUpdateIds',
    notifyHelp: {
      record: 'Sends this update to the subscribers on all channels.',
      edit: 'Sends a message to the subscribers only if the edit changes the status of the incident.',
    },
    texts: {
      created: 'Incident Update Created',
      modified: 'Incident Update Modified',
      saveFailed: 'Error while creating or updating incident',
      loadFailed: 'Failed to load incident update',
    },
  };
}
