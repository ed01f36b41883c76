import type { RouteObject } from 'react-router-dom';
import { paths } from '@/paths';
import { DashboardPage } from './dashboard-page';

export const dashboardRoutes: RouteObject[] = [{ path: paths.dashboard, Component: DashboardPage }];
