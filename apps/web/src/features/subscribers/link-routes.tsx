import type { RouteObject } from 'react-router-dom';
import { paths } from '@/paths';
import { UnsubscribePage, VerifyPage } from './link-screens';

/** Targets of the links in mails to subscribers. */
export const linkRoutes: RouteObject[] = [
  { path: paths.verify, Component: VerifyPage },
  { path: paths.unsubscribe, Component: UnsubscribePage },
];
