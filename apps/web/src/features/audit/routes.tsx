import type { RouteObject } from 'react-router-dom';
import { paths } from '@/paths';
import { AuditPage } from './audit-page';

export const auditRoutes: RouteObject[] = [{ path: paths.audit, Component: AuditPage }];
