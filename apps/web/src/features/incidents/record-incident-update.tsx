import { MessageSquarePlus } from 'lucide-react';
import { useState } from 'react';
import { useRefreshList } from '@/api/use-list';
import { calls } from '@/paths';
import { Button } from '@/ui/button';
import { RecordUpdateDialog } from '@/updates/record-update-dialog';
import { incidentTimeline, type Incident } from './incident';

/** A row's button: opens the update dialog unless the incident is resolved. */
export function RecordIncidentUpdate({ incident }: { incident: Incident }) {
  const refreshList = useRefreshList(calls.incidents.list);
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        size="sm"
        aria-label={`Record Updated: ${incident.title}`}
        disabled={incident.status === 'RESOLVED'}
        onClick={() => setOpen(true)}
      >
        <MessageSquarePlus aria-hidden /> Record Updated
      </Button>
      <RecordUpdateDialog
        timeline={incidentTimeline(incident.id)}
        about={incident.title}
        open={open}
        onOpenChange={setOpen}
        onRecorded={() => void refreshList()}
      />
    </>
  );
}
