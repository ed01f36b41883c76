import { use } from 'react';
import { AuthContext, type Role } from './auth';

export type Permission = 'read' | 'write' | 'administer';

/** What each role may do; the server's table is `x-permissions` of the OpenAPI document. */
export const permissions: Record<Role, readonly Permission[]> = {
  viewer: ['read'],
  editor: ['read', 'write'],
  admin: ['read', 'write', 'administer'],
};

export const roleNames: Record<Role, string> = {
  viewer: 'Viewer',
  editor: 'Editor',
  admin: 'Admin',
};

/** Whether the user may do something in the organisation. The server refuses it anyway; the screens hide it. */
export function useMay(permission: Permission): boolean {
  const auth = use(AuthContext);
  if (auth?.state.status !== 'signed-in' || auth.state.organisation === null) return false;
  return permissions[auth.state.organisation.role].includes(permission);
}
