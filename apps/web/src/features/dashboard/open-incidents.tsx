import { MessageSquarePlus } from 'lucide-react';
import type { Dashboard } from '@/api/types';
import { Permitted } from '@/auth/permitted';
import { paths } from '@/paths';
import { impactsOf } from '@/shared-features/affected/impact-fields';
import { useRecordUpdate } from '@/shared-features/updates/use-record-update';
import { StatusBadge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { formatInstant } from '@/ui/datetime';
import { formatDuration } from '@/ui/duration';
import { incidentStatuses } from '@/ui/statuses';
import { ItemLink, EmptySection, Section, listClass, rowClass } from './section';

type Incident = Dashboard['incidents'][number];

interface OpenIncidentsProps {
  incidents: readonly Incident[];
  now: number;
  onRecorded: () => Promise<unknown>;
}

export function OpenIncidents({ incidents, now, onRecorded }: OpenIncidentsProps) {
  const { record, dialog } = useRecordUpdate(incidents, impactsOf, onRecorded);
  return (
    <Section
      title="Open incidents"
      count={incidents.length}
      viewAll={paths.incidents.list}
      add={incidents.length > 0 ? { to: paths.incidents.create, text: 'New Incident' } : undefined}
    >
      {incidents.length === 0 ? (
        <EmptySection to={paths.incidents.create} action="Open an incident">
          There is no open incident.
        </EmptySection>
      ) : (
        <ul className={listClass}>
          {incidents.map((incident) => (
            <li key={incident.id} className={rowClass}>
              <div className="grid min-w-0 flex-1 basis-56 gap-1">
                <ItemLink to={paths.incidents.edit(incident.id)}>{incident.title}</ItemLink>
                <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
                  <StatusBadge {...incidentStatuses[incident.status]} />
                  <Age since={incident.occuredAt} now={now} />
                </span>
              </div>
              <Permitted>
                <Button
                  size="sm"
                  aria-label={`Record Update: ${incident.title}`}
                  onClick={() => record(incident)}
                >
                  <MessageSquarePlus aria-hidden /> Record Update
                </Button>
              </Permitted>
            </li>
          ))}
        </ul>
      )}
      {dialog}
    </Section>
  );
}

/** How long something has lasted. */
function Age({ since, now }: { since: string; now: number }) {
  return (
    <time dateTime={since} title={formatInstant(since)} className="tabular-nums">
      open for {formatDuration((now - Date.parse(since)) / 1000)}
    </time>
  );
}
