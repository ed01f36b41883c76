import { History, MessageSquarePlus } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useApi } from '@/api/api-provider';
import type { Update } from '@/api/types';
import { useQuery } from '@/api/use-query';
import { Permitted } from '@/auth/permitted';
import { removeRows } from '@/items/remove-rows';
import { Button } from '@/ui/button';
import { dismissFailureToast, showFailureToast } from '@/ui/failure-toast';
import { LoadFailure } from '@/ui/load-failure';
import type { StatusBadgeStyle } from '@/ui/statuses';
import { toast } from '@/ui/toast';
import { useErrorToast } from '@/ui/use-error-toast';
import { EditUpdateDialog } from './edit-update-dialog';
import { RecordUpdateDialog } from './record-update-dialog';
import type { IncidentState } from './status-after-deletion';
import type { Timeline } from './timeline';
import { UpdatesTable } from './updates-table';

const fetchFailed = 'Error while fetching updates';

interface UpdatesPanelProps {
  timeline: Timeline;
  /** Title of the incident or maintenance. */
  about: string;
  /** Current status of the incident or maintenance. */
  status: StatusBadgeStyle;
  /** The incident, which takes the status of its updates; undefined for a maintenance. */
  incident?: IncidentState | undefined;
  /**
   * Why no update can be recorded; undefined if one can. One that is displayed before the
   * resolution still can.
   */
  closed?: string | undefined;
  /** Fields of the statuses that the incident sets on its components; none for a maintenance. */
  impacts?: ReactNode;
  /** Called after an update was recorded, edited or deleted. */
  onChange: () => Promise<unknown>;
}

/** Lists, records, edits and deletes the updates of an incident or a maintenance. */
export function UpdatesPanel({
  timeline,
  about,
  status,
  incident,
  closed,
  impacts,
  onChange,
}: UpdatesPanelProps) {
  const resolvedAt = incident?.resolvedAt;
  const api = useApi();
  const { data, error, refresh } = useQuery<Update[]>(timeline.endpoints.list);
  // `before` is fixed while the dialog is open, although the recorded update may close
  // the timeline.
  const [recording, setRecording] = useState<{ before?: string }>();
  const [edited, setEdited] = useState<Update>();
  useErrorToast(error !== undefined, fetchFailed);

  const changed = () => Promise.all([refresh(), onChange()]);

  async function remove(updates: Update[], notify: boolean | undefined) {
    dismissFailureToast();
    try {
      await removeRows(
        updates.map(({ id }) => id),
        (ids) => api.post(timeline.endpoints.remove, { [timeline.idsField]: ids, notify }),
      );
      toast.success('Update(s) deleted successfully');
    } catch (failure) {
      showFailureToast('Failed to delete updates', failure);
    }
    void changed();
  }

  return (
    <div className="grid min-w-0 gap-3">
      <div className="flex flex-wrap items-center justify-end gap-x-4 gap-y-2">
        {closed && <p className="text-sm text-muted">{closed}</p>}
        <Permitted>
          {closed && resolvedAt && (
            <Button onClick={() => setRecording({ before: resolvedAt })}>
              <History aria-hidden /> Record Past Update
            </Button>
          )}
          <Button disabled={closed !== undefined} onClick={() => setRecording({})}>
            <MessageSquarePlus aria-hidden /> Record Update
          </Button>
        </Permitted>
      </div>
      {error && data === undefined ? (
        <LoadFailure
          title="The updates could not be loaded"
          reason={error.message}
          onRetry={refresh}
        />
      ) : (
        <UpdatesTable updates={data} incident={incident} onEdit={setEdited} onDelete={remove} />
      )}
      {recording && (
        <RecordUpdateDialog
          timeline={timeline}
          about={about}
          status={status}
          incidentStatus={incident?.status}
          before={recording.before}
          impacts={impacts}
          onClose={() => setRecording(undefined)}
          onRecorded={changed}
        />
      )}
      {edited && (
        <EditUpdateDialog
          key={edited.id}
          timeline={timeline}
          updateId={edited.id}
          onClose={() => setEdited(undefined)}
          onSaved={() => void changed()}
        />
      )}
    </div>
  );
}
