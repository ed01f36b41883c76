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
export interface StatusStyle {
  label: string;
  tone: Tone;
  iconName: StatusIconName;
}

function style(label: string, tone: Tone, iconName: StatusIconName): StatusStyle {
  return { label, tone, iconName };
}

export const componentStyles: Record<ComponentStatus, StatusStyle> = {
  OPERATIONAL: style('Operational', 'operational', 'circle-check'),
  DEGRADED: style('Degraded Performance', 'degraded', 'triangle-alert'),
  PARTIAL_OUTAGE: style('Partial Outage', 'partial', 'circle-alert'),
  MAJOR_OUTAGE: style('Major Outage', 'major', 'octagon-x'),
};

/** The statuses of a component, from best to worst. */
export const bySeverity = Object.keys(componentStyles) as ComponentStatus[];

/** Returns the worst status; OPERATIONAL without components. */
export function worstStatus(components: readonly { status: ComponentStatus }[]): ComponentStatus {
  const isShown = (status: ComponentStatus) => components.some((it) => it.status === status);
  return bySeverity.findLast(isShown) ?? 'OPERATIONAL';
}

export const incidentStyles: Record<IncidentStatus, StatusStyle> = {
  INVESTIGATING: style('Investigating', 'major', 'search'),
  IDENTIFIED: style('Identified', 'partial', 'crosshair'),
  MONITORING: style('Monitoring', 'degraded', 'activity'),
  RESOLVED: style('Resolved', 'operational', 'circle-check'),
};

export const maintenanceStyles: Record<MaintenanceStatus, StatusStyle> = {
  SCHEDULED: style('Scheduled', 'maintenance', 'calendar-clock'),
  IN_PROGRESS: style('In Progress', 'maintenance', 'wrench'),
  COMPLETED: style('Completed', 'operational', 'circle-check'),
  CANCELLED: style('Cancelled', 'neutral', 'circle-slash'),
};

const underMaintenance = style('Under Maintenance', 'maintenance', 'wrench');

interface Condition {
  status: ComponentStatus;
  underMaintenance: boolean;
}

/** Whether a component is not operational or is under maintenance. */
export function needsAttention({ status, underMaintenance }: Condition): boolean {
  return status !== 'OPERATIONAL' || underMaintenance;
}

/**
 * The style of a component's status, before that of its maintenance. OPERATIONAL is not shown
 * during a maintenance.
 */
export function stylesOf(component: Condition): readonly [StatusStyle, ...StatusStyle[]] {
  const own = componentStyles[component.status];
  if (!component.underMaintenance) return [own];
  return component.status === 'OPERATIONAL' ? [underMaintenance] : [own, underMaintenance];
}
