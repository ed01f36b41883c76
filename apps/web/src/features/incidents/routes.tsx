import type { RouteObject } from 'react-router-dom';
import { WritersOnly } from '@/auth/permitted';
import { paths, routes } from '@/paths';
import { CreateIncidentPage } from './create-incident-page';
import { EditIncidentPage } from './edit-incident-page';
import { IncidentsPage } from './incidents-page';

export const incidentRoutes: RouteObject[] = [
  { path: paths.incidents.list, Component: IncidentsPage },
  { path: routes.editIncident, Component: EditIncidentPage },
  {
    Component: WritersOnly,
    children: [{ path: paths.incidents.create, Component: CreateIncidentPage }],
  },
];
