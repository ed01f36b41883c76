import type { RouteObject } from 'react-router-dom';
import { WritersOnly } from '@/auth/permitted';
import { paths, routes } from '@/paths';
import { CreateMaintenancePage } from './create-maintenance-page';
import { EditMaintenancePage } from './edit-maintenance-page';
import { MaintenancesPage } from './maintenances-page';

export const maintenanceRoutes: RouteObject[] = [
  { path: paths.schedules.list, Component: MaintenancesPage },
  { path: routes.editMaintenance, Component: EditMaintenancePage },
  {
    Component: WritersOnly,
    children: [{ path: paths.schedules.create, Component: CreateMaintenancePage }],
  },
];
