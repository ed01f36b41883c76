import type { PublicComponent } from '@/api/types';
import { StatusBadge } from '@/ui/badge';
import { Card } from '@/ui/card';
import { cn } from '@/ui/cn';
import { componentStatuses } from '@/ui/statuses';
import { tones } from '@/ui/tone';
import { isAffected } from './headline';
import type { PageState } from './page-state';
import { Highlight, NothingHere, PageSection, Prose, QuietStatus } from './page-parts';
import { UptimeBars } from './uptime-bars';

interface ComponentListProps {
  state: PageState;
  changes: Readonly<Record<string, number>>;
  className?: string;
}

/** Leaves out an operational component that is only shown when it is affected. */
export function ComponentList({ state, changes, className }: ComponentListProps) {
  const components = state.components.filter(
    (component) => isAffected(component) || !component.onlyShowWhenAffected,
  );
  return (
    <PageSection id="components" title="Components" {...(className && { className })}>
      {components.length === 0 ? (
        <NothingHere>No components are shown here yet.</NothingHere>
      ) : (
        <>
          <Card>
            <ul className="divide-y divide-line">
              {components.map((component) => (
                <ComponentRow
                  key={component.id}
                  component={component}
                  state={state}
                  changes={changes[component.id]}
                />
              ))}
            </ul>
          </Card>
          {components.some(({ uptime }) => uptime) && (
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

interface ComponentRowProps {
  component: PublicComponent;
  state: PageState;
  changes: number | undefined;
}

/** Only a component with a problem has the colour of its status. */
function ComponentRow({ component, state, changes }: ComponentRowProps) {
  const affected = isAffected(component);
  const style = componentStatuses[component.status];
  return (
    <li
      className={cn(
        'relative flex flex-wrap items-start justify-between gap-x-4 gap-y-1 px-4 py-3 first:rounded-t-lg last:rounded-b-lg print:break-inside-avoid',
        affected && 'tinted',
      )}
      {...(affected && { 'data-tone': style.tone })}
    >
      <Highlight changes={changes} />
      {affected && (
        <span
          aria-hidden
          className={cn(
            'absolute inset-y-0 left-0 w-1 rounded-l-[inherit]',
            tones[style.tone].solid,
          )}
        />
      )}
      <div className="min-w-0 flex-1 basis-48">
        <h3 dir="auto" className="font-medium wrap-anywhere text-ink">
          {component.name}
        </h3>
        <Prose text={component.description} className="text-sm text-muted" />
      </div>
      {affected ? <StatusBadge {...style} /> : <QuietStatus {...style} />}
      {component.uptime && (
        <UptimeBars component={component} uptime={component.uptime} state={state} />
      )}
    </li>
  );
}
