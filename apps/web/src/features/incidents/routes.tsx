import type { RouteObject } from 'react-router-dom';
import { paths, routes } from '@/paths';
import { CreateIncidentPage } from './create-incident-page';
import { EditIncidentPage } from './edit-incident-page';
import { IncidentsPage } from './incidents-page';

export const incidentRoutes: RouteObject[] = [
  { path: paths.incidents.list, Component: IncidentsPage },
  { path: paths.incidents.create, Component: CreateIncidentPage },
  { path: routes.editIncident, Component: EditIncidentPage },
];
