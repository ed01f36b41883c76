import type { RouteObject } from 'react-router-dom';
import { paths } from '@/paths';
import { MetricsPage } from './metrics-page';

export const metricsRoutes: RouteObject[] = [{ path: paths.metrics, Component: MetricsPage }];
