import type { RouteObject } from 'react-router-dom';
import { paths } from '@/paths';
import { UnsubscribePage } from './unsubscribe-page';
import { VerifyPage } from './verify-page';

/** Where the links in mails to subscribers lead. */
export const linkRoutes: RouteObject[] = [
  { path: paths.verify, Component: VerifyPage },
  { path: paths.unsubscribe, Component: UnsubscribePage },
];
