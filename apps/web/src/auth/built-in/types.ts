import type { Instant } from '@/api/types';
import type { AuthOrganisation, AuthUser } from '@/auth/auth';

/** The types of the built-in provider's API. */

export type Role = AuthOrganisation['role'];

export interface SessionUser extends AuthUser {
  /** Whether the user administers the installation and its waitlist. */
  administrator: boolean;
  /** Whether the account needs another address, because an older account has it. */
  needsAddress: boolean;
}

/** The ways in which the user can sign in and authenticate again. */
export interface SignInWays {
  /** Whether the account has a password that can be used. */
  password: boolean;
  providers: SignInProvider[];
}

export interface SignInProvider {
  id: string;
  name: string;
}

export interface Session {
  user: SessionUser;
  ways: SignInWays;
  organisations: AuthOrganisation[];
  activeOrganisationId: string | null;
}

export interface SignedOut {
  /** The address at which the browser signs out of the identity provider of the session. */
  providerUrl: string | null;
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

/** An invitation to an organisation; without one, to the installation. */
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

/** A session in the list of the user's sessions. */
export interface ListedSession {
  id: string;
  /** Whether it is the session of this browser. */
  current: boolean;
  device: string | null;
  address: string | null;
  createdAt: Instant;
  usedAt: Instant;
}

export interface Passkey {
  id: string;
  name: string;
  createdAt: Instant;
  /** Null if it was never used. */
  lastUsedAt: Instant | null;
}

export interface AddedPasskey {
  passkey: Passkey;
  /** Null if the account had a second factor before. */
  recoveryCodes: string[] | null;
}

/** The second factors that a sign-in awaits. */
export interface AwaitedFactors {
  authenticatorApp: boolean;
  passkey: boolean;
}

export interface Factors {
  totp: { createdAt: Instant } | null;
  passkeys: Passkey[];
  /** Number of recovery codes that were not used. */
  recoveryCodes: number;
}

/** The secret for an authenticator app. */
export interface TotpEnrolment {
  secret: string;
  uri: string;
}

export interface ConfirmedTotp {
  /** Null if the account keeps the codes that it had before. */
  recoveryCodes: string[] | null;
}

export interface RecoveryCodes {
  recoveryCodes: string[];
}
