import type { PublicIncident, PublicMaintenance } from '@/api/types';
import { componentStyles } from '@/ui/status-styles';
import { PageIcon } from './page-parts';

/** The components of an incident with its impact on each, or those of a maintenance. */
export function AffectedComponents(props: PublicIncident | PublicMaintenance) {
  if (props.components.length === 0) return null;
  return (
    <ul aria-label={`Components affected by ${props.title}`} className="affected">
      {props.components.map((affected) => {
        const impact = 'status' in affected ? componentStyles[affected.status] : undefined;
        return (
          <li key={affected.componentId} data-tone={impact?.tone}>
            {impact && <PageIcon name={impact.iconName} />}
            <span dir="auto">{affected.component.name}</span>
            {impact && <span>{impact.label}</span>}
          </li>
        );
      })}
    </ul>
  );
}
