import { useSyncExternalStore, type ReactNode, type ToggleEvent } from 'react';
import type { PublicComponent, PublicComponentGroup } from '@/api/types';
import { needsAttention, stylesOf, worstStatus } from '@/ui/status-styles';
import { chosenGroups, chooseGroup, subscribeToGroups } from './open-groups';
import { Prose, StatusMarks } from './page-parts';

interface ComponentGroupProps {
  group: PublicComponentGroup;
  /** All its components, also those that are not shown. */
  members: readonly PublicComponent[];
  /** The uptime of the members; null if there is none. */
  uptime: string | null;
  /** The rows of its components. */
  children: ReactNode;
}

/**
 * A group, which the visitor opens and closes. Their choice is kept; until there is one, the
 * group's mode decides.
 */
export function ComponentGroup({ group, members, uptime, children }: ComponentGroupProps) {
  const { code, name, description, display } = group;
  const styles = stylesOf({
    status: worstStatus(members),
    underMaintenance: members.some((member) => member.underMaintenance),
  });
  const marked = members.some(needsAttention);
  const byMode = display === 'OPEN' || (display === 'OPEN_WHEN_AFFECTED' && marked);
  const readChoice = () => chosenGroups()[code];
  const isOpen = useSyncExternalStore(subscribeToGroups, readChoice, readChoice) ?? byMode;

  /** Follows the visitor. The event comes also after a change that React has made. */
  function toggle({ currentTarget }: ToggleEvent<HTMLDetailsElement>) {
    if (currentTarget.open !== isOpen) chooseGroup(code, currentTarget.open);
  }

  return (
    <li className="group-entry">
      <details data-group={code} open={isOpen} onToggle={toggle}>
        <summary>
          <h3 dir="auto">{name}</h3>
          {uptime && <span className="quiet">{uptime}</span>}
          <StatusMarks styles={styles} marked={marked} />
        </summary>
        <Prose text={description} />
        <ul>{children}</ul>
      </details>
    </li>
  );
}
