import type { PublicIncident, PublicMaintenance } from '@/api/types';
import { cn } from '@/ui/cn';
import { componentStatuses } from '@/ui/statuses';
import { tones } from '@/ui/tone';

/** The components of an incident with its impact on each, or those of a maintenance. */
export function AffectedComponents(props: PublicIncident | PublicMaintenance) {
  if (props.components.length === 0) return null;
  return (
    <ul aria-label={`Components affected by ${props.title}`} className="flex flex-wrap gap-2">
      {props.components.map((affected) => {
        const impact = 'status' in affected ? componentStatuses[affected.status] : undefined;
        return (
          <li
            key={affected.componentId}
            data-tone={impact?.tone}
            className="inline-flex min-w-0 flex-wrap items-center gap-x-2 rounded-md border border-line bg-raised px-2 py-1 text-sm"
          >
            {impact && (
              <impact.icon
                aria-hidden
                className={cn('size-3.5 shrink-0', tones[impact.tone].text)}
              />
            )}
            <span dir="auto" className="min-w-0 font-medium wrap-anywhere text-ink">
              {affected.component.name}
            </span>
            {impact && <span className={tones[impact.tone].text}>{impact.label}</span>}
          </li>
        );
      })}
    </ul>
  );
}
