import type { PublicMaintenance } from '@/api/types';
import { StatusBadge } from '@/ui/badge';
import { cn } from '@/ui/cn';
import { maintenanceStatuses } from '@/ui/statuses';
import { tones } from '@/ui/tone';
import { Highlight } from './highlight';
import { Moment } from './moment';
import { Prose } from './prose';
import { QuietStatus } from './quiet-status';
import { Timeline } from './timeline';

interface MaintenanceProps {
  maintenance: PublicMaintenance;
  changes: Readonly<Record<string, number>>;
  /** It is over. */
  quiet: boolean;
}

export function Maintenance({ maintenance, changes, quiet }: MaintenanceProps) {
  const { id, title, description, status, startAt, endAt, timeline } = maintenance;
  const look = maintenanceStatuses[status];
  return (
    <article className="relative grid min-w-0 grid-cols-1 gap-3 px-4 py-4 first:rounded-t-lg last:rounded-b-lg sm:px-5 print:break-inside-avoid">
      <Highlight changes={changes[id]} />
      {status === 'IN_PROGRESS' && (
        <span
          aria-hidden
          className={cn(
            'absolute inset-y-0 left-0 w-1 rounded-l-[inherit]',
            tones[look.tone].solid,
          )}
        />
      )}
      <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
        <h3
          dir="auto"
          className={cn(
            'min-w-0 flex-1 basis-48 wrap-anywhere text-ink',
            quiet ? 'font-medium' : 'font-semibold',
          )}
        >
          {title}
        </h3>
        {quiet ? <QuietStatus {...look} /> : <StatusBadge {...look} />}
      </header>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 text-sm">
        <dt className="text-muted">Starts:</dt>
        <dd>
          <Moment value={startAt} />
        </dd>
        <dt className="text-muted">Ends:</dt>
        <dd>
          <Moment value={endAt} />
        </dd>
      </dl>
      <Prose text={description} className={quiet ? 'text-muted' : 'text-ink'} />
      <Timeline
        label={title}
        entries={timeline}
        changes={changes}
        quiet={quiet}
        truncated={maintenance.timelineTruncated}
      />
    </article>
  );
}
