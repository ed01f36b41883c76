import type { PublicMaintenance } from '@/api/types';
import { publicPaths } from '@/public-paths';
import { StatusBadge } from '@/ui/badge';
import { Card } from '@/ui/card';
import { cn } from '@/ui/cn';
import { maintenanceStatuses } from '@/ui/statuses';
import { tones } from '@/ui/tone';
import { AffectedComponents } from './affected-components';
import {
  Highlight,
  NothingHere,
  Omitted,
  PageSection,
  Prose,
  QuietStatus,
  TitleLink,
} from './page-parts';
import { isPast, pastShown } from './page-state';
import { TimeWithDistance } from './time';
import { Timeline } from './timeline';

interface MaintenanceListProps {
  orgId: string;
  maintenances: readonly PublicMaintenance[];
  changes: Readonly<Record<string, number>>;
  className?: string;
}

/** Maintenances that are not over come first. */
export function MaintenanceList({ orgId, maintenances, changes, className }: MaintenanceListProps) {
  const ahead = maintenances.filter((maintenance) => !isPast(maintenance));
  const over = maintenances.filter(isPast);
  return (
    <PageSection id="maintenance" title="Scheduled Maintenance" {...(className && { className })}>
      {maintenances.length === 0 && <NothingHere>No maintenance is scheduled.</NothingHere>}
      {[ahead, over].map(
        (group) =>
          group.length > 0 && (
            <Card key={group === ahead ? 'ahead' : 'over'} className="divide-y divide-line">
              {group.map((maintenance) => (
                <Maintenance
                  key={maintenance.id}
                  orgId={orgId}
                  maintenance={maintenance}
                  changes={changes}
                  quiet={group === over}
                />
              ))}
            </Card>
          ),
      )}
      {over.length >= pastShown && (
        <Omitted>{`Only the newest ${pastShown} past maintenances are shown.`}</Omitted>
      )}
    </PageSection>
  );
}

interface MaintenanceProps {
  orgId: string;
  maintenance: PublicMaintenance;
  changes: Readonly<Record<string, number>>;
  /** Whether the maintenance is over. */
  quiet: boolean;
}

function Maintenance({ orgId, maintenance, changes, quiet }: MaintenanceProps) {
  const { id, code, title, description, status, startAt, endAt, timeline } = maintenance;
  const style = maintenanceStatuses[status];
  return (
    <article className="relative grid min-w-0 grid-cols-1 gap-3 px-4 py-4 first:rounded-t-lg last:rounded-b-lg sm:px-5 print:break-inside-avoid">
      <Highlight changes={changes[id]} />
      {status === 'IN_PROGRESS' && (
        <span
          aria-hidden
          className={cn(
            'absolute inset-y-0 left-0 w-1 rounded-l-[inherit]',
            tones[style.tone].solid,
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
          <TitleLink to={publicPaths.publicMaintenance(orgId, code)}>{title}</TitleLink>
        </h3>
        {quiet ? <QuietStatus {...style} /> : <StatusBadge {...style} />}
      </header>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 text-sm">
        <dt className="text-muted">Starts:</dt>
        <dd>
          <TimeWithDistance value={startAt} />
        </dd>
        <dt className="text-muted">Ends:</dt>
        <dd>
          <TimeWithDistance value={endAt} />
        </dd>
      </dl>
      <Prose text={description} className={quiet ? 'text-muted' : 'text-ink'} />
      {!quiet && <AffectedComponents {...maintenance} />}
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
