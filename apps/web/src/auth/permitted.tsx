import type { ReactNode } from 'react';
import { Navigate, Outlet } from 'react-router-dom';
import { paths } from '@/paths';
import { useKeptPermission, useMay } from './permissions';

/** Shows its children to users who may write. */
export function Permitted({ children }: { children: ReactNode }) {
  return useMay('write') ? children : null;
}

/**
 * For routes whose screens only write: redirects users who may only read. A user who loses the
 * right stays on the screen, with what was typed.
 */
export function WritersOnly() {
  return useKeptPermission('write') ? <Outlet /> : <Navigate to={paths.dashboard} replace />;
}
