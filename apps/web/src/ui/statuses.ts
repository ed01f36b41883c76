import {
  Activity,
  CalendarClock,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleSlash,
  CircleX,
  Clock,
  Crosshair,
  OctagonX,
  Search,
  TriangleAlert,
  Wrench,
  type LucideIcon,
} from 'lucide-react';
import type {
  ComponentStatus,
  IncidentStatus,
  MaintenanceStatus,
  SubscriberStatus,
} from '@/api/types';
import type { Tone } from './tone';

export interface StatusLook {
  label: string;
  tone: Tone;
  icon: LucideIcon;
}

export const componentStatuses: Record<ComponentStatus, StatusLook> = {
  OPERATIONAL: { label: 'Operational', tone: 'operational', icon: CircleCheck },
  DEGRADED: { label: 'Degraded Performance', tone: 'degraded', icon: TriangleAlert },
  PARTIAL_OUTAGE: { label: 'Partial Outage', tone: 'partial', icon: CircleAlert },
  MAJOR_OUTAGE: { label: 'Major Outage', tone: 'major', icon: OctagonX },
};

export const incidentStatuses: Record<IncidentStatus, StatusLook> = {
  INVESTIGATING: { label: 'Investigating', tone: 'major', icon: Search },
  IDENTIFIED: { label: 'Identified', tone: 'partial', icon: Crosshair },
  MONITORING: { label: 'Monitoring', tone: 'degraded', icon: Activity },
  RESOLVED: { label: 'Resolved', tone: 'operational', icon: CircleCheck },
};

export const maintenanceStatuses: Record<MaintenanceStatus, StatusLook> = {
  SCHEDULED: { label: 'Scheduled', tone: 'maintenance', icon: CalendarClock },
  IN_PROGRESS: { label: 'In Progress', tone: 'maintenance', icon: Wrench },
  COMPLETED: { label: 'Completed', tone: 'operational', icon: CircleCheck },
  CANCELLED: { label: 'Cancelled', tone: 'neutral', icon: CircleSlash },
};

export const subscriberStatuses: Record<SubscriberStatus, StatusLook> = {
  PENDING: { label: 'Pending', tone: 'degraded', icon: Clock },
  SUBSCRIBED: { label: 'Subscribed', tone: 'operational', icon: CircleCheck },
  UNSUBSCRIBED: { label: 'Unsubscribed', tone: 'major', icon: CircleX },
};

export const verification = {
  verified: { label: 'Verified', tone: 'operational', icon: CircleCheck },
  notVerified: { label: 'Not Verified', tone: 'neutral', icon: CircleDashed },
} as const satisfies Record<string, StatusLook>;

/** A table of statuses as the options of a toggle group, in the table's order. */
export function statusOptions<Status extends string>(statuses: Record<Status, StatusLook>) {
  return (Object.keys(statuses) as Status[]).map((value) => ({ value, ...statuses[value] }));
}
