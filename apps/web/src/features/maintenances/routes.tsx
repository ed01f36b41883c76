import type { RouteObject } from 'react-router-dom';
import { paths, routes } from '@/paths';
import { CreateMaintenancePage } from './create-maintenance-page';
import { EditMaintenancePage } from './edit-maintenance-page';
import { MaintenancesPage } from './maintenances-page';

export const maintenanceRoutes: RouteObject[] = [
  { path: paths.schedules.list, Component: MaintenancesPage },
  { path: paths.schedules.create, Component: CreateMaintenancePage },
  { path: routes.editMaintenance, Component: EditMaintenancePage },
];
