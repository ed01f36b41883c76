import type { Component } from '@/api/types';
import { StatusBadge } from '@/ui/badge';
import { bySeverity } from '@/ui/status-styles';
import { componentBadges } from '@/ui/statuses';

type Condition = Pick<Component, 'status' | 'underMaintenance'>;

/** The status of a component or a group, and whether it is under maintenance. */
export function ComponentBadges({ condition }: { condition: Condition }) {
  return (
    <span className="flex flex-wrap gap-1">
      {componentBadges(condition).map((style) => (
        <StatusBadge key={style.label} {...style} />
      ))}
    </span>
  );
}

/** Returns a number to sort by. A maintenance comes after the same status without one. */
export function severityOf({ status, underMaintenance }: Condition): number {
  return bySeverity.indexOf(status) + (underMaintenance ? 0.5 : 0);
}
