import type { PublicComponent } from '@/api/types';
import { StatusBadge } from '@/ui/badge';
import { Card } from '@/ui/card';
import { cn } from '@/ui/cn';
import { componentStatuses } from '@/ui/statuses';
import { tones } from '@/ui/tone';
import { isAffected } from './headline';
import { Highlight, NothingHere, PageSection, Prose, QuietStatus } from './page-parts';

interface ComponentListProps {
  components: readonly PublicComponent[];
  changes: Readonly<Record<string, number>>;
  className?: string;
}

export function ComponentList({ components, changes, className }: ComponentListProps) {
  return (
    <PageSection id="components" title="Components" {...(className && { className })}>
      {components.length === 0 ? (
        <NothingHere>No components are shown here yet.</NothingHere>
      ) : (
        <Card>
          <ul className="divide-y divide-line">
            {components.map((component) => (
              <ComponentRow
                key={component.id}
                component={component}
                changes={changes[component.id]}
              />
            ))}
          </ul>
        </Card>
      )}
    </PageSection>
  );
}

interface ComponentRowProps {
  component: PublicComponent;
  changes: number | undefined;
}

/** Only a component with a problem has the colour of its status. */
function ComponentRow({ component, changes }: ComponentRowProps) {
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
    </li>
  );
}
