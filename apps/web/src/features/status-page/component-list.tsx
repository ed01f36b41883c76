import type { PublicComponent } from '@/api/types';
import { needsAttention, stylesOf } from '@/ui/status-styles';
import { ComponentGroup } from './component-group';
import type { PageState } from './page-state';
import { Highlight, NothingHere, PageSection, Prose, StatusMarks } from './page-parts';
import { groupUptimeText } from './uptime';
import { UptimeBars } from './uptime-bars';

interface ComponentListProps {
  state: PageState;
  changes: Readonly<Record<string, number>>;
}

/**
 * Leaves out a component that is only shown when it is affected while it does not stand out, and a
 * group that shows none.
 */
export function ComponentList({ state, changes }: ComponentListProps) {
  const components = new Map(state.components.map((component) => [component.id, component]));
  const groups = new Map(state.groups.map((group) => [group.id, group]));
  const entries = state.order
    .map(({ id, components: ids }) => ({
      group: id === null ? undefined : groups.get(id),
      members: ids.flatMap((member) => components.get(member) ?? []),
    }))
    .filter(({ members }) => members.some(isShown));
  // The uptime of a group counts its components that are not shown, too.
  const hasUptime = entries.some(({ group, members }) =>
    members.some((it) => it.uptime && (isShown(it) || group)),
  );
  return (
    <PageSection id="components" title="Components">
      {entries.length === 0 ? (
        <NothingHere>No components are shown here yet.</NothingHere>
      ) : (
        <>
          <ul className="card">
            {entries.map(({ group, members }) => {
              const rows = members
                .filter(isShown)
                .map((component) => (
                  <ComponentRow
                    key={component.id}
                    component={component}
                    level={group ? 4 : 3}
                    state={state}
                    changes={changes[component.id]}
                  />
                ));
              if (group === undefined) return rows;
              return (
                <ComponentGroup
                  key={group.id}
                  group={group}
                  members={members}
                  uptime={groupUptimeText(members, state)}
                >
                  {rows}
                </ComponentGroup>
              );
            })}
          </ul>
          {hasUptime && (
            <p className="rule">
              Uptime of the last 90 days. Of outages, a major one counts in full and a partial one
              by 30 %. Degradation does not count.
            </p>
          )}
        </>
      )}
    </PageSection>
  );
}

function isShown(component: PublicComponent): boolean {
  return needsAttention(component) || !component.onlyShowWhenAffected;
}

interface ComponentRowProps {
  component: PublicComponent;
  /** Level of the heading. */
  level: 3 | 4;
  state: PageState;
  changes: number | undefined;
}

/** Only a component with a problem or a maintenance has the colour of its status. */
function ComponentRow({ component, level, state, changes }: ComponentRowProps) {
  const marked = needsAttention(component);
  const styles = stylesOf(component);
  const Heading = `h${level}` as const;
  return (
    <li className="row" {...(marked && { 'data-tone': styles[0].tone })}>
      <Highlight changes={changes} />
      <div>
        <Heading dir="auto">{component.name}</Heading>
        <Prose text={component.description} />
      </div>
      <StatusMarks styles={styles} marked={marked} />
      {component.uptime && (
        <UptimeBars component={component} uptime={component.uptime} state={state} />
      )}
    </li>
  );
}
