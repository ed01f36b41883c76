import type { Role } from '@/auth/built-in/types';

export const roleLabels: Record<Role, string> = { admin: 'Admin', member: 'Member' };

/** The least first. */
export const roles = ['member', 'admin'] as const satisfies Role[];
