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
  componentStyles,
  incidentStyles,
  maintenanceStyles,
  stylesOf,
  type StatusIconName,
  type StatusStyle,
} from './status-styles';

/**
 * A status style whose icon is a component, for the operators' app. The public page draws its icons
 * from a sprite.
 */
export interface StatusBadgeStyle extends Omit<StatusStyle, 'iconName'> {
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

export const componentStatuses = styled(componentStyles);
export const incidentStatuses = styled(incidentStyles);
export const maintenanceStatuses = styled(maintenanceStyles);

function styled<Status extends string>(styles: Record<Status, StatusStyle>) {
  const statuses = (Object.keys(styles) as Status[]).map((status) => [
    status,
    badgeStyle(styles[status]),
  ]);
  return Object.fromEntries(statuses) as Record<Status, StatusBadgeStyle>;
}

function badgeStyle({ iconName, ...style }: StatusStyle): StatusBadgeStyle {
  return { ...style, icon: statusIcons[iconName] };
}

/** The badge of a component's status, before that of its maintenance. */
export function componentBadges(component: Parameters<typeof stylesOf>[0]): StatusBadgeStyle[] {
  return stylesOf(component).map(badgeStyle);
}

/** Converts a table of statuses to options of a toggle group. */
export function statusOptions<Status extends string>(statuses: Record<Status, StatusBadgeStyle>) {
  return (Object.keys(statuses) as Status[]).map((value) => ({ value, ...statuses[value] }));
}

/**
 * Returns the place of a status among `statuses`, which have the order of a lifecycle
 * or of severity.
 */
export function rankOf<Status extends string>(
  statuses: Record<Status, unknown>,
  status: Status,
): number {
  return Object.keys(statuses).indexOf(status);
}
