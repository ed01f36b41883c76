import type { PublicComponent } from '@/api/types';
import { StatusBadge } from '@/ui/badge';
import { Card } from '@/ui/card';
import { cn } from '@/ui/cn';
import { componentStyles } from '@/ui/statuses';
import { tones } from '@/ui/tone';
import { ComponentGroup } from './component-group';
import { standsOut } from './headline';
import type { PageState } from './page-state';
import { Highlight, NothingHere, PageSection, Prose, QuietStatus } from './page-parts';
import { UptimeBars } from './uptime-bars';

interface ComponentListProps {
  state: PageState;
  changes: Readonly<Record<string, number>>;
  className?: string;
}

/** Leaves out a component that is only shown when it is affected while it does not stand out, and a group that shows none. */
export function ComponentList({ state, changes, className }: ComponentListProps) {
  const components = new Map(state.components.map((component) => [component.id, component]));
  const groups = new Map(state.groups.map((group) => [group.id, group]));
  const entries = state.order
    .map(({ id, components: ids }) => ({
      group: id === null ? undefined : groups.get(id),
      members: ids.flatMap((member) => components.get(member) ?? []),
    }))
    .filter(({ members }) => members.some(isShown));
  return (
    <PageSection id="components" title="Components" {...(className && { className })}>
      {entries.length === 0 ? (
        <NothingHere>No components are shown here yet.</NothingHere>
      ) : (
        <>
          <Card>
            <ul className="divide-y divide-line">
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
                  <ComponentGroup key={group.id} group={group} members={members}>
                    {rows}
                  </ComponentGroup>
                );
              })}
            </ul>
          </Card>
          {entries.some(({ members }) => members.some((it) => isShown(it) && it.uptime)) && (
            <p className="text-xs text-subtle">
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
  return standsOut(component) || !component.onlyShowWhenAffected;
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
  const marked = standsOut(component);
  const styles = componentStyles(component);
  const [{ tone }] = styles;
  const Heading = `h${level}` as const;
  return (
    <li
      className={cn(
        'relative flex flex-wrap items-start justify-between gap-x-4 gap-y-1 px-4 py-3 first:rounded-t-lg last:rounded-b-lg print:break-inside-avoid',
        marked && 'tinted',
      )}
      {...(marked && { 'data-tone': tone })}
    >
      <Highlight changes={changes} />
      {marked && (
        <span
          aria-hidden
          className={cn('absolute inset-y-0 left-0 w-1 rounded-l-[inherit]', tones[tone].solid)}
        />
      )}
      <div className="min-w-0 flex-1 basis-48">
        <Heading dir="auto" className="font-medium wrap-anywhere text-ink">
          {component.name}
        </Heading>
        <Prose text={component.description} className="text-sm text-muted" />
      </div>
      {styles.map((style) =>
        marked ? (
          <StatusBadge key={style.label} {...style} />
        ) : (
          <QuietStatus key={style.label} {...style} />
        ),
      )}
      {component.uptime && (
        <UptimeBars component={component} uptime={component.uptime} state={state} />
      )}
    </li>
  );
}
