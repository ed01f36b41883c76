import type { PublicIncident } from '@/api/types';
import { publicPaths } from '@/public-paths';
import { incidentStyles } from '@/ui/status-styles';
import { AffectedComponents } from './affected-components';
import {
  Highlight,
  NothingHere,
  Omitted,
  PageSection,
  Prose,
  StatusMark,
  TitleLink,
} from './page-parts';
import { isOver, pastShown, type PageState } from './page-state';
import { FollowButton } from './subscribe/follow-button';
import { TimeWithDistance } from './time';
import { Timeline } from './timeline';

interface IncidentListProps {
  state: PageState;
  changes: Readonly<Record<string, number>>;
}

/** Unresolved incidents come first, each in a card. Past incidents share one card. */
export function IncidentList({ state, changes }: IncidentListProps) {
  const { incidents } = state;
  const active = incidents.filter((incident) => !isOver(incident));
  const past = incidents.filter(isOver);
  return (
    <PageSection id="incidents" title="Incidents">
      {incidents.length === 0 && <NothingHere>No incidents in the last 14 days.</NothingHere>}
      {active.map((incident) => (
        <Incident key={incident.id} state={state} incident={incident} changes={changes} />
      ))}
      {past.length > 0 && (
        <section className="card">
          {past.map((incident) => (
            <Incident key={incident.id} state={state} incident={incident} changes={changes} />
          ))}
        </section>
      )}
      {past.length >= pastShown && (
        <Omitted>{`Only the newest ${pastShown} past incidents are shown.`}</Omitted>
      )}
    </PageSection>
  );
}

interface IncidentProps {
  state: PageState;
  incident: PublicIncident;
  changes: Readonly<Record<string, number>>;
}

/** An incident. An unresolved one is the most prominent element of the page. */
function Incident({ state, incident, changes }: IncidentProps) {
  const style = incidentStyles[incident.status];
  const isPast = isOver(incident);
  const texts = (
    <>
      <Prose text={incident.description} />
      <Timeline
        label={incident.title}
        entries={incident.IncidentTimeline}
        changes={changes}
        quiet={isPast}
        truncated={incident.timelineTruncated}
      />
    </>
  );
  return (
    <article className={isPast ? 'past' : 'incident'} data-tone={isPast ? undefined : style.tone}>
      <Highlight changes={changes[incident.id]} />
      <header>
        <div className="heading">
          <TitleLink to={publicPaths.publicIncident(state.organisation.id, incident.code)}>
            {incident.title}
          </TitleLink>
          <StatusMark {...style} marked={!isPast} />
        </div>
        <TimeWithDistance label="Created" value={incident.createdAt} />
      </header>
      {isPast ? (
        texts
      ) : (
        <div>
          {texts}
          <AffectedComponents item={incident} state={state} />
          <FollowButton incident={incident} />
        </div>
      )}
    </article>
  );
}
