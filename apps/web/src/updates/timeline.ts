import type { IncidentStatus, Instant } from '@/api/types';

/** An entry of an incident's or a maintenance's timeline, as operators see it. */
export interface Update {
  id: string;
  status: IncidentStatus;
  message: string;
  /** Who recorded it. */
  user: { id: string; name: string };
  createdAt: Instant;
}

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
