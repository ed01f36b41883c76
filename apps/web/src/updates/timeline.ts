import type { IncidentStatus, Update as StoredUpdate } from '@/api/types';

/** An entry of an incident's or a maintenance's timeline, as operators see it. */
export type Update = Pick<StoredUpdate, 'id' | 'status' | 'message' | 'user' | 'createdAt'>;

export interface UpdateInput {
  status: IncidentStatus;
  message: string;
}

/** Where the updates of one incident or maintenance are, and what is said about them. */
export interface Timeline {
  calls: {
    list: string;
    item: (updateId: string) => string;
    create: string;
    remove: string;
  };
  /** What the call that deletes names the ids. */
  idsField: 'incidentUpdateIds' | 'maintenanceUpdateIds';
  texts: {
    created: string;
    modified: string;
    saveFailed: string;
    loadFailed: string;
  };
}
