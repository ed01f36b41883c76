import { History, MessageSquarePlus } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '@/api/api-provider';
import type { IncidentStatus } from '@/api/types';
import { useQuery } from '@/api/use-query';
import { Permitted } from '@/auth/permitted';
import { Button } from '@/ui/button';
import { FailureMessage } from '@/ui/failure-message';
import { LoadFailure } from '@/ui/load-failure';
import type { StatusBadgeStyle } from '@/ui/statuses';
import { toast } from '@/ui/toast';
import { useErrorToast } from '@/ui/use-error-toast';
import { EditUpdateDialog } from './edit-update-dialog';
import { RecordUpdateDialog } from './record-update-dialog';
import type { Timeline, Update } from './timeline';
import { UpdatesTable } from './updates-table';

const fetchFailed = 'Error while fetching updates';

interface UpdatesPanelProps {
  timeline: Timeline;
  /** Title of the incident or maintenance. */
  about: string;
  /** Current status of the incident or maintenance. */
  status: StatusBadgeStyle;
  /** Current status of the incident, which takes that of its updates; undefined for a maintenance. */
  incidentStatus?: IncidentStatus | undefined;
  /** Why no update can be recorded; undefined if one can. */
  closed?: string | undefined;
  /** Where no update can be recorded, one that is displayed before this time still can. */
  pastBefore?: string | undefined;
  /** Called after an update was recorded, edited or deleted. */
  onChange: () => Promise<unknown>;
}

/** Lists, records, edits and deletes the updates of an incident or a maintenance. */
export function UpdatesPanel({
  timeline,
  about,
  status,
  incidentStatus,
  closed,
  pastBefore,
  onChange,
}: UpdatesPanelProps) {
  const api = useApi();
  const { data, error, refresh } = useQuery<Update[]>(timeline.endpoints.list);
  // `before` is fixed while the dialog is open, although the recorded update may close the timeline.
  const [recording, setRecording] = useState<{ before?: string }>();
  const [edited, setEdited] = useState<Update>();
  useErrorToast(error !== undefined, fetchFailed);

  const changed = () => Promise.all([refresh(), onChange()]);

  async function remove(updates: Update[]) {
    try {
      await api.post(timeline.endpoints.remove, {
        [timeline.idsField]: updates.map((update) => update.id),
      });
      toast.success('Update(s) deleted successfully');
    } catch (failure) {
      toast.error(<FailureMessage text="Failed to delete updates" error={failure} />);
    }
    void changed();
  }

  return (
    <div className="grid min-w-0 gap-3">
      <div className="flex flex-wrap items-center justify-end gap-x-4 gap-y-2">
        {closed && <p className="text-sm text-muted">{closed}</p>}
        <Permitted>
          {closed && pastBefore && (
            <Button onClick={() => setRecording({ before: pastBefore })}>
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
        <UpdatesTable updates={data} onEdit={setEdited} onDelete={remove} />
      )}
      {recording && (
        <RecordUpdateDialog
          timeline={timeline}
          about={about}
          status={status}
          incidentStatus={incidentStatus}
          before={recording.before}
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
