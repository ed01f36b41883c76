import type { ComponentStatus } from '@/api/types';
import { componentStatuses } from '@/ui/statuses';

const bySeverity = Object.keys(componentStatuses) as ComponentStatus[];

/** Returns the worst status; OPERATIONAL without components. */
export function worstOf(components: readonly { status: ComponentStatus }[]): ComponentStatus {
  const worst = bySeverity.findLast((status) => components.some((it) => it.status === status));
  return worst ?? 'OPERATIONAL';
}
