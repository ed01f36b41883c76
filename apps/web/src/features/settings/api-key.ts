import { object, string } from 'yup';
import { nameRule } from '@/api/name';
import { isNotInFuture } from '@/api/rules';
import type { ApiKey } from '@/api/types';

/** A key cannot be an admin. */
type KeyRole = Exclude<ApiKey['role'], 'admin'>;

/** The roles of keys, with what they may do. */
export const keyRoles: Record<KeyRole, string> = {
  viewer: 'Viewer: may read',
  editor: 'Editor: may also change content',
};

export interface KeyValues {
  name: string;
  role: KeyRole;
  /** Empty for never. */
  expiresAt: string;
}

export const newKey: KeyValues = { name: '', role: 'viewer', expiresAt: '' };

export const keySchema = object({
  name: nameRule(),
  role: string().oneOf(Object.keys(keyRoles), 'Select Any One').required('Select Any One'),
  expiresAt: string().test(
    'future',
    'Must be in the future',
    (value) => !value || !isNotInFuture(value),
  ),
});

export function keyInput({ name, role, expiresAt }: KeyValues) {
  return { name, role, expiresAt: expiresAt === '' ? null : expiresAt };
}
