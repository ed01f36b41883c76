import type { PublicIncident } from '@/api/types';
import { Card } from '@/ui/card';
import { ActiveIncident, PastIncident } from './incident';
import { NothingHere, Omitted, PageSection, pastShown } from './page-section';

interface IncidentListProps {
  incidents: readonly PublicIncident[];
  changes: Readonly<Record<string, number>>;
  className?: string;
}

/** What is going on comes first, each in a card of its own; what is over follows in one. */
export function IncidentList({ incidents, changes, className }: IncidentListProps) {
  const active = incidents.filter(isUnresolved);
  const past = incidents.filter((incident) => !isUnresolved(incident));
  return (
    <PageSection id="incidents" title="Incidents" {...(className && { className })}>
      {incidents.length === 0 && <NothingHere>No incidents in the last 14 days.</NothingHere>}
      {active.map((incident) => (
        <ActiveIncident key={incident.id} incident={incident} changes={changes} />
      ))}
      {past.length > 0 && (
        <Card className="divide-y divide-line">
          {past.map((incident) => (
            <PastIncident key={incident.id} incident={incident} changes={changes} />
          ))}
        </Card>
      )}
      {past.length >= pastShown && (
        <Omitted>{`Only the newest ${pastShown} past incidents are shown.`}</Omitted>
      )}
    </PageSection>
  );
}

export function isUnresolved({ status }: PublicIncident): boolean {
  return status !== 'RESOLVED';
}
