import type { RouteObject } from 'react-router-dom';
import { paths } from '@/paths';
import { SubscriptionPage } from './subscription-page';
import { UnsubscribePage, VerifyPage } from './link-screens';

/** Targets of the links in messages to subscribers. */
export const linkRoutes: RouteObject[] = [
  { path: paths.verify, Component: VerifyPage },
  { path: paths.unsubscribe, Component: UnsubscribePage },
  { path: paths.subscription, Component: SubscriptionPage },
];
