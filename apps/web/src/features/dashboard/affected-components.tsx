import { TriangleAlert } from 'lucide-react';
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

/** How many components are shown at once. */
const most = 8;

/** The components that are not operational or are under maintenance, the worst first. */
export function AffectedComponents({ components }: { components: readonly Component[] }) {
  const rank = ({ status }: Component) => rankOf(componentStatuses, status);
  const worstFirst = components.toSorted((a, b) => rank(b) - rank(a));
  const rest = worstFirst.slice(most);
  return (
    <Section
      title="Affected components"
      count={components.length}
      link={{ to: paths.components.list, text: 'All components' }}
    >
      {components.length === 0 ? (
        <EmptySection to={paths.components.list} action="Change a status">
          All components are operational.
        </EmptySection>
      ) : (
        <Rows components={worstFirst.slice(0, most)} />
      )}
      {rest.length > 0 && (
        <details className="border-t border-line">
          <summary className="cursor-pointer px-4 py-3 text-sm text-muted hover:text-ink">
            {rest.length} more
          </summary>
          <div className="border-t border-line">
            <Rows components={rest} />
          </div>
        </details>
      )}
    </Section>
  );
}

function Rows({ components }: { components: readonly Component[] }) {
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
          {component.status !== 'OPERATIONAL' && (
            <Permitted>
              <Link
                to={paths.incidents.createOn(component.id)}
                aria-label={`Open Incident: ${component.name}`}
                className={buttonVariants({ size: 'sm' })}
              >
                <TriangleAlert aria-hidden /> Open Incident
              </Link>
            </Permitted>
          )}
        </li>
      ))}
    </ul>
  );
}
