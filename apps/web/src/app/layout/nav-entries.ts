import {
  BookOpen,
  Boxes,
  CalendarClock,
  ChartLine,
  Heart,
  LayoutDashboard,
  MessagesSquare,
  RadioTower,
  Settings,
  TriangleAlert,
  UsersRound,
  type LucideIcon,
} from 'lucide-react';
import { paths } from '@/paths';

export interface NavEntry {
  label: string;
  path: string;
  icon: LucideIcon;
  /** The target is outside the app: the browser loads a new page. */
  outside?: boolean;
}

export const mainEntries: readonly NavEntry[] = [
  { label: 'Dashboard', path: paths.dashboard, icon: LayoutDashboard },
  { label: 'Components', path: paths.components.list, icon: Boxes },
  { label: 'Incidents', path: paths.incidents.list, icon: TriangleAlert },
  { label: 'Metrics', path: paths.metrics, icon: ChartLine },
  { label: 'Schedules', path: paths.schedules.list, icon: CalendarClock },
  { label: 'Subscribers', path: paths.subscribers, icon: UsersRound },
];

/**
 * The settings, and pages that the server renders or redirects. The last two are 404 unless their
 * addresses are configured.
 */
export function secondEntries(organisationId: string): NavEntry[] {
  return [
    { label: 'Settings', path: paths.settings, icon: Settings },
    { label: 'Status Page', path: paths.status(organisationId), icon: RadioTower, outside: true },
    { label: 'Documentation', path: paths.documentation, icon: BookOpen, outside: true },
    { label: 'Join Discord', path: paths.discord, icon: MessagesSquare, outside: true },
    { label: 'Sponsor the product', path: paths.sponsor, icon: Heart, outside: true },
  ];
}
