import type { RouteObject } from 'react-router-dom';
import { paths, routes } from '@/paths';

export const incidentRoutes: RouteObject[] = [
  {
    path: paths.incidents.list,
    lazy: async () => ({ Component: (await import('./incidents-page')).IncidentsPage }),
  },
  {
    path: paths.incidents.create,
    lazy: async () => ({ Component: (await import('./create-incident-page')).CreateIncidentPage }),
  },
  {
    path: routes.editIncident,
    lazy: async () => ({ Component: (await import('./edit-incident-page')).EditIncidentPage }),
  },
];
