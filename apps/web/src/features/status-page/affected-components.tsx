import type { ComponentStatus, PublicIncident, PublicMaintenance } from '@/api/types';
import { bySeverity, componentStyles } from '@/ui/status-styles';
import { PageIcon } from './page-parts';
import type { PageState } from './page-state';
import { uniqueName } from './unique-name';

/** Number of components up to which their list is always open. */
const mostOpen = 8;

interface Affected {
  componentId: string;
  component: { name: string };
  /** Impact of an incident; undefined for a maintenance. */
  status?: ComponentStatus;
}

const severityOf = ({ status }: Affected) => bySeverity.findIndex((it) => it === status);

interface AffectedComponentsProps {
  item: PublicIncident | PublicMaintenance;
  state: PageState;
}

/**
 * The components of an incident, those with the worst impact first, or those of a maintenance. The
 * visitor opens a long list.
 */
export function AffectedComponents({ item, state }: AffectedComponentsProps) {
  const components: Affected[] = item.components;
  const count = components.length;
  const list = (
    <ul aria-label={`Components affected by ${item.title}`} className="affected">
      {components
        .toSorted((one, next) => severityOf(next) - severityOf(one))
        .map(({ componentId, component, status }) => {
          const impact = status && componentStyles[status];
          return (
            <li key={componentId} data-tone={impact?.tone}>
              {impact && <PageIcon name={impact.iconName} />}
              <span dir="auto">{uniqueName(state, componentId, component.name)}</span>
              {impact && <span>{impact.label}</span>}
            </li>
          );
        })}
    </ul>
  );
  if (count <= mostOpen) return count > 0 && list;
  return (
    <details className="folded">
      <summary>{`${count} components affected`}</summary>
      {list}
    </details>
  );
}
