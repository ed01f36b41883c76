import { useState, type ReactNode } from 'react';
import type { Incident as StoredIncident } from '@/api/types';
import { incidentStatuses } from '@/ui/statuses';
import { incidentTimeline } from './incident-timeline';
import { RecordUpdateDialog } from './record-update-dialog';

type Incident = Pick<StoredIncident, 'id' | 'title' | 'status'>;

interface RecordUpdate {
  /** Opens the dialog. */
  record: (incident: Incident) => void;
  /** The dialog, which the caller renders outside of the rows: a row may move or go while text is typed. */
  dialog: ReactNode;
}

/** Records updates of the incidents of a list. `incidents` is undefined while they load. */
export function useRecordUpdate(
  incidents: readonly Incident[] | undefined,
  onRecorded: () => Promise<unknown>,
): RecordUpdate {
  const [chosen, setChosen] = useState<Incident>();
  const incident = incidents?.find(({ id }) => id === chosen?.id) ?? chosen;
  return {
    record: setChosen,
    dialog: incident && (
      <RecordUpdateDialog
        key={incident.id}
        timeline={incidentTimeline(incident.id)}
        about={incident.title}
        status={incidentStatuses[incident.status]}
        incidentStatus={incident.status}
        onClose={() => setChosen(undefined)}
        onRecorded={onRecorded}
      />
    ),
  };
}
