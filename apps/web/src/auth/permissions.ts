import { use, useState } from 'react';
import { AuthContext, type AuthOrganisation, type Role } from './auth';

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

/**
 * Whether the user may do something in the organisation. The server refuses it anyway; the screens
 * hide it.
 */
export function useMay(permission: Permission): boolean {
  const organisation = useOrganisation();
  return organisation !== null && permissions[organisation.role].includes(permission);
}

/**
 * Like `useMay`, but a permission that is lost counts until the component is left or shows another
 * organisation: what was typed, or is shown only once, stays on the screen.
 */
export function useKeptPermission(permission: Permission): boolean {
  const id = useOrganisation()?.id;
  const may = useMay(permission);
  const [keptIn, setKeptIn] = useState(may ? id : undefined);
  if (may && keptIn !== id) setKeptIn(id);
  return id !== undefined && keptIn === id;
}

function useOrganisation(): AuthOrganisation | null {
  const auth = use(AuthContext);
  return auth?.state.status === 'signed-in' ? auth.state.organisation : null;
}
