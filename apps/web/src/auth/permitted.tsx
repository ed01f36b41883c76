import { useState, type ReactNode } from 'react';
import { Navigate, Outlet } from 'react-router-dom';
import { paths } from '@/paths';
import { useMay } from './permissions';

/** Shows its children to users who may write. */
export function Permitted({ children }: { children: ReactNode }) {
  return useMay('write') ? children : null;
}

/**
 * For routes whose screens only write: redirects users who may only read. A user who loses the right stays on the screen,
 * with what was typed.
 */
export function WritersOnly() {
  const mayWrite = useMay('write');
  const [mayEnter] = useState(mayWrite);
  return mayEnter ? <Outlet /> : <Navigate to={paths.dashboard} replace />;
}
