import { object } from 'yup';
import { oneStatusOf } from '@/api/rules';
import { limits, text } from '@/api/text';
import type { IncidentStatus, Update as StoredUpdate } from '@/api/types';
import { incidentStatuses } from '@/ui/statuses';

/** An entry of the timeline of an incident or a maintenance, as operators see it. */
export type Update = Pick<StoredUpdate, 'id' | 'status' | 'message' | 'user' | 'createdAt'>;

export interface UpdateInput {
  status: IncidentStatus;
  message: string;
}

/** Endpoints and texts of the updates of one incident or maintenance. */
export interface Timeline {
  endpoints: {
    list: string;
    item: (updateId: string) => string;
    create: string;
    remove: string;
  };
  /** Field of the ids in the request that deletes. */
  idsField: 'incidentUpdateIds' | 'maintenanceUpdateIds';
  texts: {
    created: string;
    modified: string;
    saveFailed: string;
    loadFailed: string;
  };
}

export const updateSchema = object({
  status: oneStatusOf(incidentStatuses),
  message: text(limits.text).required('Message is required'),
});

export const newUpdate: UpdateInput = { status: 'INVESTIGATING', message: '' };
