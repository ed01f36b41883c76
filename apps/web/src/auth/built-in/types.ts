import type { Instant } from '@/api/types';
import type { AuthOrganisation, AuthUser } from '@/auth/auth';

/** The shapes of the built-in provider's calls. */

export type Role = AuthOrganisation['role'];

export interface SessionUser extends AuthUser {
  /** Administers the installation: its waitlist. */
  administrator: boolean;
  /** An older account has the address: this one needs another before it can be used. */
  needsAddress: boolean;
}

export interface Session {
  user: SessionUser;
  organisations: AuthOrganisation[];
  activeOrganisationId: string | null;
}

export interface IssuedToken {
  token: string;
  expiresAt: Instant;
}

export interface Member {
  userId: string;
  name: string;
  email: string;
  role: Role;
  createdAt: Instant;
}

export interface Invitation {
  id: string;
  email: string;
  role: Role;
  createdAt: Instant;
  expiresAt: Instant;
}

/** What an invitation's link is to; without an organisation it is to the installation itself. */
export interface InspectedInvitation {
  organisation: { id: string; name: string } | null;
  email: string;
  role: Role;
}

export interface Waiting {
  id: string;
  name: string;
  email: string;
  createdAt: Instant;
}
