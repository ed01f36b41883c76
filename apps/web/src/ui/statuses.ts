import type { LucideIcon } from 'lucide-react';
import Activity from 'lucide-react/icons/activity';
import CalendarClock from 'lucide-react/icons/calendar-clock';
import CircleAlert from 'lucide-react/icons/circle-alert';
import CircleCheck from 'lucide-react/icons/circle-check';
import CircleSlash from 'lucide-react/icons/circle-slash';
import Crosshair from 'lucide-react/icons/crosshair';
import OctagonX from 'lucide-react/icons/octagon-x';
import Search from 'lucide-react/icons/search';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import Wrench from 'lucide-react/icons/wrench';
import type { ComponentStatus, IncidentStatus, MaintenanceStatus } from '@/api/types';
import type { Tone } from './tone';

export interface StatusStyle {
  label: string;
  tone: Tone;
  icon: LucideIcon;
}

export const componentStatuses: Record<ComponentStatus, StatusStyle> = {
  OPERATIONAL: { label: 'Operational', tone: 'operational', icon: CircleCheck },
  DEGRADED: { label: 'Degraded Performance', tone: 'degraded', icon: TriangleAlert },
  PARTIAL_OUTAGE: { label: 'Partial Outage', tone: 'partial', icon: CircleAlert },
  MAJOR_OUTAGE: { label: 'Major Outage', tone: 'major', icon: OctagonX },
};

export const incidentStatuses: Record<IncidentStatus, StatusStyle> = {
  INVESTIGATING: { label: 'Investigating', tone: 'major', icon: Search },
  IDENTIFIED: { label: 'Identified', tone: 'partial', icon: Crosshair },
  MONITORING: { label: 'Monitoring', tone: 'degraded', icon: Activity },
  RESOLVED: { label: 'Resolved', tone: 'operational', icon: CircleCheck },
};

export const maintenanceStatuses: Record<MaintenanceStatus, StatusStyle> = {
  SCHEDULED: { label: 'Scheduled', tone: 'maintenance', icon: CalendarClock },
  IN_PROGRESS: { label: 'In Progress', tone: 'maintenance', icon: Wrench },
  COMPLETED: { label: 'Completed', tone: 'operational', icon: CircleCheck },
  CANCELLED: { label: 'Cancelled', tone: 'neutral', icon: CircleSlash },
};

export const underMaintenance: StatusStyle = {
  label: 'Under Maintenance',
  tone: 'maintenance',
  icon: Wrench,
};

/** The style of a component's status, before that of its maintenance. OPERATIONAL is not shown during a maintenance. */
export function componentStyles(component: {
  status: ComponentStatus;
  underMaintenance: boolean;
}): readonly [StatusStyle, ...StatusStyle[]] {
  const style = componentStatuses[component.status];
  if (!component.underMaintenance) return [style];
  return component.status === 'OPERATIONAL' ? [underMaintenance] : [style, underMaintenance];
}

/** Converts a table of statuses to options of a toggle group. */
export function statusOptions<Status extends string>(statuses: Record<Status, StatusStyle>) {
  return (Object.keys(statuses) as Status[]).map((value) => ({ value, ...statuses[value] }));
}
