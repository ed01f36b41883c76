import { useGroupName } from '@/affected/component-groups';
import { GroupName } from '@/affected/group-name';
import type { Dashboard } from '@/api/types';
import { paths } from '@/paths';
import { StatusBadge } from '@/ui/badge';
import { componentBadges } from '@/ui/statuses';
import { ItemLink, Nothing, Section, listClass, rowClass } from './section';

/** The components that are not operational or are under maintenance. */
export function AffectedComponents({ components }: { components: Dashboard['components'] }) {
  const groupName = useGroupName();
  return (
    <Section
      title="Affected components"
      count={components.length}
      link={{ to: paths.components.list, text: 'All components' }}
    >
      {components.length === 0 ? (
        <Nothing to={paths.components.list} action="Change a status">
          All components are operational.
        </Nothing>
      ) : (
        <ul className={listClass}>
          {components.map((component) => (
            <li key={component.id} className={rowClass}>
              <span className="min-w-0 flex-1 basis-24">
                <ItemLink to={paths.components.edit(component.id)}>{component.name}</ItemLink>
                {component.groupId !== null && (
                  <GroupName>{groupName(component.groupId)}</GroupName>
                )}
              </span>
              <span className="flex flex-wrap gap-1.5">
                {componentBadges(component).map((style) => (
                  <StatusBadge key={style.label} {...style} />
                ))}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
