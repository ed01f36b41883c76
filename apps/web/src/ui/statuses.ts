import {
  Activity,
  CalendarClock,
  CircleAlert,
  CircleCheck,
  CircleSlash,
  Crosshair,
  OctagonX,
  Search,
  TriangleAlert,
  Wrench,
  type LucideIcon,
} from 'lucide-react';
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

/** Converts a table of statuses to options of a toggle group. */
export function statusOptions<Status extends string>(statuses: Record<Status, StatusStyle>) {
  return (Object.keys(statuses) as Status[]).map((value) => ({ value, ...statuses[value] }));
}
