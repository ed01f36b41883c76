import type { ReactNode } from 'react';
import { Navigate, Outlet } from 'react-router-dom';
import { paths } from '@/paths';
import { useMay, type Permission } from './permissions';

interface PermittedProps {
  to?: Permission;
  children: ReactNode;
}

/** Shows its children to users who may do something, by default to those who may write. */
export function Permitted({ to = 'write', children }: PermittedProps) {
  return useMay(to) ? children : null;
}

/** For routes whose screens only write: redirects users who may only read. */
export function WritersOnly() {
  return useMay('write') ? <Outlet /> : <Navigate to={paths.dashboard} replace />;
}
