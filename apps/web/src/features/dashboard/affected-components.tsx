import { ArrowRight, TriangleAlert } from 'lucide-react';
import { Link } from 'react-router-dom';
import type { Dashboard } from '@/api/types';
import { Permitted } from '@/auth/permitted';
import { paths } from '@/paths';
import { useGroupName } from '@/shared-features/affected/component-groups';
import { GroupName } from '@/shared-features/affected/group-name';
import { StatusBadge } from '@/ui/badge';
import { buttonVariants } from '@/ui/button-variants';
import { componentBadges, componentStatuses, rankOf } from '@/ui/statuses';
import { ItemLink, EmptySection, Section, listClass, rowClass } from './section';

type Component = Dashboard['components'][number];
type Incident = Dashboard['incidents'][number];

/** How many components are shown at once. */
const most = 8;

/** The components that are not operational or are under maintenance, the worst first. */
export function AffectedComponents({ dashboard }: { dashboard: Dashboard }) {
  const { components } = dashboard;
  const incidents = incidentsOf(dashboard);
  const rank = ({ status }: Component) => rankOf(componentStatuses, status);
  const worstFirst = components.toSorted((a, b) => rank(b) - rank(a));
  const rest = worstFirst.slice(most);
  return (
    <Section title="Affected components" count={components.length} viewAll={paths.components.list}>
      {components.length === 0 ? (
        <EmptySection to={paths.components.list} action="Change a status">
          All components are operational.
        </EmptySection>
      ) : (
        <Rows components={worstFirst.slice(0, most)} incidents={incidents} />
      )}
      {rest.length > 0 && (
        <details className="border-t border-line">
          <summary className="cursor-pointer px-4 py-3 text-sm text-muted hover:text-ink">
            {rest.length} more
          </summary>
          <div className="border-t border-line">
            <Rows components={rest} incidents={incidents} />
          </div>
        </details>
      )}
    </Section>
  );
}

/** Returns an open incident that affects each component, by the component's id. */
function incidentsOf({ incidents, impacts }: Dashboard): ReadonlyMap<string, Incident> {
  const byId = new Map(incidents.map((incident) => [incident.id, incident]));
  return new Map(
    impacts.flatMap(({ componentId, incidentId }) => {
      const incident = byId.get(incidentId);
      return incident ? [[componentId, incident] as const] : [];
    }),
  );
}

interface RowsProps {
  components: readonly Component[];
  incidents: ReadonlyMap<string, Incident>;
}

function Rows({ components, incidents }: RowsProps) {
  const groupName = useGroupName();
  return (
    <ul className={listClass}>
      {components.map((component) => (
        <li key={component.id} className={rowClass}>
          <span className="min-w-0 flex-1 basis-24">
            <ItemLink to={paths.components.edit(component.id)}>{component.name}</ItemLink>
            {component.groupId !== null && <GroupName>{groupName(component.groupId)}</GroupName>}
          </span>
          <span className="flex flex-wrap gap-1.5">
            {componentBadges(component).map((style) => (
              <StatusBadge key={style.label} {...style} />
            ))}
          </span>
          <IncidentLink component={component} incident={incidents.get(component.id)} />
        </li>
      ))}
    </ul>
  );
}

interface IncidentLinkProps {
  component: Component;
  /** An open incident that affects the component; undefined if there is none. */
  incident: Incident | undefined;
}

/** Leads to the open incident about a component, or to a new one. */
function IncidentLink({ component: { id, name, status }, incident }: IncidentLinkProps) {
  const className = buttonVariants({ size: 'sm' });
  if (incident) {
    return (
      <Link
        to={paths.incidents.edit(incident.id)}
        aria-label={`Go to Incident: ${incident.title}`}
        className={className}
      >
        <ArrowRight aria-hidden /> Go to Incident
      </Link>
    );
  }
  if (status === 'OPERATIONAL') return null;
  return (
    <Permitted>
      <Link
        to={paths.incidents.createOn(id)}
        aria-label={`Open Incident: ${name}`}
        className={className}
      >
        <TriangleAlert aria-hidden /> Open Incident
      </Link>
    </Permitted>
  );
}
