import type { ComponentStatus, IncidentStatus, MaintenanceStatus } from '@/api/types';
import type { Tone } from './tone';

/** Icons of statuses, by their names in Lucide. */
export type StatusIconName =
  | 'activity'
  | 'calendar-clock'
  | 'circle-alert'
  | 'circle-check'
  | 'circle-slash'
  | 'crosshair'
  | 'octagon-x'
  | 'search'
  | 'triangle-alert'
  | 'wrench';

/** How a status is shown. Its colour is never the only sign. */
export interface StatusSign {
  label: string;
  tone: Tone;
  iconName: StatusIconName;
}

function sign(label: string, tone: Tone, iconName: StatusIconName): StatusSign {
  return { label, tone, iconName };
}

export const componentSigns: Record<ComponentStatus, StatusSign> = {
  OPERATIONAL: sign('Operational', 'operational', 'circle-check'),
  DEGRADED: sign('Degraded Performance', 'degraded', 'triangle-alert'),
  PARTIAL_OUTAGE: sign('Partial Outage', 'partial', 'circle-alert'),
  MAJOR_OUTAGE: sign('Major Outage', 'major', 'octagon-x'),
};

/** The statuses of a component, from best to worst. */
export const bySeverity = Object.keys(componentSigns) as ComponentStatus[];

/** Returns the worst status; OPERATIONAL without components. */
export function worstStatus(components: readonly { status: ComponentStatus }[]): ComponentStatus {
  const isShown = (status: ComponentStatus) => components.some((it) => it.status === status);
  return bySeverity.findLast(isShown) ?? 'OPERATIONAL';
}

export const incidentSigns: Record<IncidentStatus, StatusSign> = {
  INVESTIGATING: sign('Investigating', 'major', 'search'),
  IDENTIFIED: sign('Identified', 'partial', 'crosshair'),
  MONITORING: sign('Monitoring', 'degraded', 'activity'),
  RESOLVED: sign('Resolved', 'operational', 'circle-check'),
};

export const maintenanceSigns: Record<MaintenanceStatus, StatusSign> = {
  SCHEDULED: sign('Scheduled', 'maintenance', 'calendar-clock'),
  IN_PROGRESS: sign('In Progress', 'maintenance', 'wrench'),
  COMPLETED: sign('Completed', 'operational', 'circle-check'),
  CANCELLED: sign('Cancelled', 'neutral', 'circle-slash'),
};

const underMaintenance = sign('Under Maintenance', 'maintenance', 'wrench');

/** The sign of a component's status, before that of its maintenance. OPERATIONAL is not shown during a maintenance. */
export function signsOf(component: {
  status: ComponentStatus;
  underMaintenance: boolean;
}): readonly [StatusSign, ...StatusSign[]] {
  const sign = componentSigns[component.status];
  if (!component.underMaintenance) return [sign];
  return component.status === 'OPERATIONAL' ? [underMaintenance] : [sign, underMaintenance];
}
