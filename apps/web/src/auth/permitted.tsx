import type { ReactNode } from 'react';
import { Navigate, Outlet } from 'react-router-dom';
import { paths } from '@/paths';
import { useMay } from './permissions';

/** Shows its children to users who may write. */
export function Permitted({ children }: { children: ReactNode }) {
  return useMay('write') ? children : null;
}

/** For routes whose screens only write: redirects users who may only read. */
export function WritersOnly() {
  return useMay('write') ? <Outlet /> : <Navigate to={paths.dashboard} replace />;
}
