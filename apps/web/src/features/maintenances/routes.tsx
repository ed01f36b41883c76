import type { RouteObject } from 'react-router-dom';
import { paths, routes } from '@/paths';

export const maintenanceRoutes: RouteObject[] = [
  {
    path: paths.schedules.list,
    lazy: async () => ({ Component: (await import('./maintenances-page')).MaintenancesPage }),
  },
  {
    path: paths.schedules.create,
    lazy: async () => ({
      Component: (await import('./create-maintenance-page')).CreateMaintenancePage,
    }),
  },
  {
    path: routes.editMaintenance,
    lazy: async () => ({
      Component: (await import('./edit-maintenance-page')).EditMaintenancePage,
    }),
  },
];
