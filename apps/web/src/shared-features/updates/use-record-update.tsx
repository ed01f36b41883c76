import { useState, type ReactNode } from 'react';
import type { Incident as StoredIncident } from '@/api/types';
import { useQuery } from '@/api/use-query';
import { endpoints } from '@/paths';
import { incidentStatuses } from '@/ui/statuses';
import { incidentTimeline } from './incident-timeline';
import { RecordUpdateDialog } from './record-update-dialog';

type Incident = Pick<StoredIncident, 'id' | 'title' | 'status'>;

interface RecordUpdate {
  /** Opens the dialog. */
  record: (incident: Incident) => void;
  /**
   * The dialog, which the caller renders outside of the rows: a row may move or go while text
   * is typed.
   */
  dialog: ReactNode;
}

/**
 * Records updates of the incidents of a list. `incidents` is undefined while they load.
 * `impactsOf` returns the fields of the statuses that an incident sets on its components.
 */
export function useRecordUpdate(
  incidents: readonly Incident[] | undefined,
  impactsOf: (incidentId: string) => ReactNode,
  onRecorded: () => Promise<unknown>,
): RecordUpdate {
  const [chosen, setChosen] = useState<Incident>();
  const listed = incidents?.find(({ id }) => id === chosen?.id);
  // A list may lose the incident while text is typed: the dashboard's has open incidents only.
  const isGone = chosen !== undefined && incidents !== undefined && listed === undefined;
  const gone = useQuery<Incident>(isGone ? endpoints.incidents.item(chosen.id) : null);
  const incident = listed ?? gone.data ?? chosen;
  return {
    record: setChosen,
    dialog: incident && (
      <RecordUpdateDialog
        key={incident.id}
        timeline={incidentTimeline(incident.id)}
        about={incident.title}
        status={incidentStatuses[incident.status]}
        incidentStatus={incident.status}
        isDeleted={gone.error?.status === 404}
        impacts={impactsOf(incident.id)}
        onClose={() => setChosen(undefined)}
        onRecorded={onRecorded}
      />
    ),
  };
}
