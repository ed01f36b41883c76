import type { PublicIncident } from '@/api/types';
import { publicPaths } from '@/public-paths';
import { StatusBadge } from '@/ui/badge';
import { Card } from '@/ui/card';
import { cn } from '@/ui/cn';
import { incidentStatuses } from '@/ui/statuses';
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

interface IncidentListProps {
  orgId: string;
  incidents: readonly PublicIncident[];
  changes: Readonly<Record<string, number>>;
  className?: string;
}

/** Unresolved incidents come first, each in a card. Past incidents share one card. */
export function IncidentList({ orgId, incidents, changes, className }: IncidentListProps) {
  const active = incidents.filter((incident) => !isPast(incident));
  const past = incidents.filter(isPast);
  return (
    <PageSection id="incidents" title="Incidents" {...(className && { className })}>
      {incidents.length === 0 && <NothingHere>No incidents in the last 14 days.</NothingHere>}
      {active.map((incident) => (
        <ActiveIncident key={incident.id} orgId={orgId} incident={incident} changes={changes} />
      ))}
      {past.length > 0 && (
        <Card className="divide-y divide-line">
          {past.map((incident) => (
            <PastIncident key={incident.id} orgId={orgId} incident={incident} changes={changes} />
          ))}
        </Card>
      )}
      {past.length >= pastShown && (
        <Omitted>{`Only the newest ${pastShown} past incidents are shown.`}</Omitted>
      )}
    </PageSection>
  );
}

interface IncidentProps {
  orgId: string;
  incident: PublicIncident;
  changes: Readonly<Record<string, number>>;
}

/** An unresolved incident, the most prominent element of the page. */
function ActiveIncident({ orgId, incident, changes }: IncidentProps) {
  const style = incidentStatuses[incident.status];
  return (
    <article
      data-tone={style.tone}
      className={cn(
        'relative min-w-0 rounded-lg border bg-surface shadow-low print:break-inside-avoid',
        tones[style.tone].line,
      )}
    >
      <Highlight changes={changes[incident.id]} />
      <header
        className={cn(
          'tinted grid grid-cols-1 gap-1 rounded-t-lg border-b px-4 py-3 sm:px-5',
          tones[style.tone].line,
        )}
      >
        <div className="flex w-full flex-wrap items-start justify-between gap-x-4 gap-y-2">
          <h3
            dir="auto"
            className="min-w-0 flex-1 basis-56 text-lg font-semibold wrap-anywhere text-ink"
          >
            <TitleLink to={publicPaths.publicIncident(orgId, incident.code)}>
              {incident.title}
            </TitleLink>
          </h3>
          <StatusBadge {...style} className="bg-surface!" />
        </div>
        <TimeWithDistance label="Created" value={incident.createdAt} />
      </header>
      <div className="grid grid-cols-1 gap-4 px-4 py-4 sm:px-5">
        <Prose text={incident.description} />
        <AffectedComponents {...incident} />
        <Timeline
          label={incident.title}
          entries={incident.IncidentTimeline}
          changes={changes}
          quiet={false}
          truncated={incident.timelineTruncated}
        />
      </div>
    </article>
  );
}

function PastIncident({ orgId, incident, changes }: IncidentProps) {
  return (
    <article className="relative grid min-w-0 grid-cols-1 gap-3 px-4 py-4 first:rounded-t-lg last:rounded-b-lg sm:px-5 print:break-inside-avoid">
      <Highlight changes={changes[incident.id]} />
      <header>
        <div className="flex flex-wrap items-start justify-between gap-x-4">
          <h3 dir="auto" className="min-w-0 flex-1 basis-48 font-medium wrap-anywhere text-ink">
            <TitleLink to={publicPaths.publicIncident(orgId, incident.code)}>
              {incident.title}
            </TitleLink>
          </h3>
          <QuietStatus {...incidentStatuses[incident.status]} />
        </div>
        <TimeWithDistance label="Created" value={incident.createdAt} />
      </header>
      <Prose text={incident.description} className="text-muted" />
      <Timeline
        label={incident.title}
        entries={incident.IncidentTimeline}
        changes={changes}
        quiet
        truncated={incident.timelineTruncated}
      />
    </article>
  );
}
