import type { RouteObject } from 'react-router-dom';
import { paths } from '@/paths';
import { SubscribersPage } from './subscribers-page';

export const subscriberRoutes: RouteObject[] = [
  { path: paths.subscribers, Component: SubscribersPage },
];
