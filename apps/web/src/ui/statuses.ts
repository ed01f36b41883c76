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
import {
  componentSigns,
  incidentSigns,
  maintenanceSigns,
  signsOf,
  type StatusIconName,
  type StatusSign,
} from './status-signs';

/** A status with its icon as a component, for the operators' app. The public page draws its icons from a sprite. */
export interface StatusStyle extends Omit<StatusSign, 'iconName'> {
  icon: LucideIcon;
}

const statusIcons: Record<StatusIconName, LucideIcon> = {
  activity: Activity,
  'calendar-clock': CalendarClock,
  'circle-alert': CircleAlert,
  'circle-check': CircleCheck,
  'circle-slash': CircleSlash,
  crosshair: Crosshair,
  'octagon-x': OctagonX,
  search: Search,
  'triangle-alert': TriangleAlert,
  wrench: Wrench,
};

export const componentStatuses = styled(componentSigns);
export const incidentStatuses = styled(incidentSigns);
export const maintenanceStatuses = styled(maintenanceSigns);

function styled<Status extends string>(signs: Record<Status, StatusSign>) {
  const statuses = (Object.keys(signs) as Status[]).map((status) => [status, style(signs[status])]);
  return Object.fromEntries(statuses) as Record<Status, StatusStyle>;
}

function style({ iconName, ...sign }: StatusSign): StatusStyle {
  return { ...sign, icon: statusIcons[iconName] };
}

/** The style of a component's status, before that of its maintenance. */
export function componentStyles(component: Parameters<typeof signsOf>[0]): StatusStyle[] {
  return signsOf(component).map(style);
}

/** Converts a table of statuses to options of a toggle group. */
export function statusOptions<Status extends string>(statuses: Record<Status, StatusStyle>) {
  return (Object.keys(statuses) as Status[]).map((value) => ({ value, ...statuses[value] }));
}
