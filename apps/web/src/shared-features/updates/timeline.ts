import { object } from 'yup';
import { instant, isNotInFuture, oneStatusOf, optionalInstant } from '@/api/rules';
import { limits, text } from '@/api/text';
import type { IncidentStatus, Update } from '@/api/types';
import type { NotifyValues } from '@/items/notify-field';
import { incidentStatuses } from '@/ui/statuses';

export interface UpdateValues {
  status: IncidentStatus;
  message: string;
  /** UTC; '' for the time at which the update is recorded. */
  displayAt: string;
}

export type UpdateFormValues = UpdateValues & NotifyValues;

/** The updates of one incident or maintenance: their endpoints and texts. */
export interface Timeline {
  /** As in "This incident was deleted". */
  noun: 'incident' | 'maintenance';
  endpoints: {
    list: string;
    item: (updateId: string) => string;
    create: string;
    remove: string;
  };
  /** Field of the ids in the request that deletes. */
  idsField: 'incidentUpdateIds' | 'maintenanceUpdateIds';
  /** When a mail is sent. An edit sends none without `edit`. */
  notifyHelp: { record: string; edit?: string };
  /** The last choice of a maintenance whether it notifies; an incident has none. */
  notifies?: boolean | undefined;
  texts: {
    created: string;
    modified: string;
    saveFailed: string;
    loadFailed: string;
  };
}

const invalidTime = 'Please enter a valid date and time';

const fields = {
  status: oneStatusOf(incidentStatuses),
  message: text(limits.text).required('Message is required'),
};

export const updateSchema = object({
  ...fields,
  displayAt: optionalInstant(invalidTime).test(
    'past',
    'Display time must not be in the future',
    isNotInFuture,
  ),
});

/** Rules of an update that is displayed before an incident was resolved. */
export function pastUpdateSchema(resolvedAt: string) {
  return object({
    ...fields,
    displayAt: instant(invalidTime).test(
      'before',
      'Display time must be before the resolution',
      (value) => !(Date.parse(value) >= Date.parse(resolvedAt)),
    ),
  });
}

export const newUpdate: UpdateValues = { status: 'INVESTIGATING', message: '', displayAt: '' };

export function updateValues({ status, message, displayAt, createdAt }: Update): UpdateValues {
  return { status, message, displayAt: displayAt === createdAt ? '' : displayAt };
}

/** Converts the values for the API: a display time that did not change is absent. */
export function updateInput({ status, message, displayAt }: UpdateValues, before: UpdateValues) {
  return {
    status,
    message,
    ...(displayAt !== before.displayAt && { displayAt: displayAt || null }),
  };
}
