import type { PublicMaintenance } from '@/api/types';
import { publicPaths } from '@/public-paths';
import { maintenanceStyles } from '@/ui/status-styles';
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
import { TimeWithDistance } from './time';
import { Timeline } from './timeline';

interface MaintenanceListProps {
  state: PageState;
  changes: Readonly<Record<string, number>>;
}

/** Maintenances that are not over come first. */
export function MaintenanceList({ state, changes }: MaintenanceListProps) {
  const { maintenances } = state;
  const ahead = maintenances.filter((maintenance) => !isOver(maintenance));
  const over = maintenances.filter(isOver);
  return (
    <PageSection id="maintenance" title="Scheduled Maintenance">
      {maintenances.length === 0 && <NothingHere>No maintenance is scheduled.</NothingHere>}
      {[ahead, over].map(
        (group, index) =>
          group.length > 0 && (
            <section key={index} className="card">
              {group.map((maintenance) => (
                <Maintenance
                  key={maintenance.id}
                  state={state}
                  maintenance={maintenance}
                  changes={changes}
                />
              ))}
            </section>
          ),
      )}
      {over.length >= pastShown && (
        <Omitted>{`Only the newest ${pastShown} past maintenances are shown.`}</Omitted>
      )}
    </PageSection>
  );
}

interface MaintenanceProps {
  state: PageState;
  maintenance: PublicMaintenance;
  changes: Readonly<Record<string, number>>;
}

function Maintenance({ state, maintenance, changes }: MaintenanceProps) {
  const { id, code, title, description, status, startAt, endAt, timeline } = maintenance;
  const style = maintenanceStyles[status];
  const isPast = isOver(maintenance);
  // One that is cancelled may have times in the future.
  const isCompleted = status === 'COMPLETED';
  return (
    <article
      className={isPast ? 'past' : undefined}
      data-tone={status === 'IN_PROGRESS' ? style.tone : undefined}
    >
      <Highlight changes={changes[id]} />
      <header className="heading">
        <TitleLink to={publicPaths.publicMaintenance(state.organisation.id, code)}>
          {title}
        </TitleLink>
        <StatusMark {...style} marked={!isPast} />
      </header>
      <dl className="times">
        <dt>Starts:</dt>
        <TimeWithDistance as="dd" value={startAt} isPast={isCompleted} />
        <dt>Ends:</dt>
        <TimeWithDistance as="dd" value={endAt} isPast={isCompleted} />
      </dl>
      <Prose text={description} />
      <Timeline
        label={title}
        entries={timeline}
        changes={changes}
        quiet={isPast}
        truncated={maintenance.timelineTruncated}
      />
      {!isPast && <AffectedComponents item={maintenance} state={state} />}
    </article>
  );
}
