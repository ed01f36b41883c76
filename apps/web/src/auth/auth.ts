import { createContext, use, type ComponentType, type ReactNode } from 'react';
import type { GetToken, Reauthenticate } from '@/api/client';
import type { components } from '@/api/schema.gen';

export type Role = components['schemas']['Role'];

export interface AuthUser {
  id: string;
  name: string;
  email: string;
}

export interface AuthOrganisation {
  id: string;
  name: string;
  role: Role;
}

export type AuthState =
  | { status: 'loading' }
  | { status: 'signed-out' }
  | { status: 'signed-in'; user: AuthUser; organisation: AuthOrganisation | null };

export interface Auth {
  state: AuthState;
  /** Always the same function. */
  getToken: GetToken;
  /** Always the same function. */
  reauthenticate: Reauthenticate;
  /**
   * Called when another user may have changed the role of this one or the organisation's name.
   * Always the same function. Absent if the provider learns of it by itself.
   */
  onOutdated?: () => void;
  /** Reads the session again after a change of the organisation's name. Does not fail. */
  refresh: () => Promise<void>;
}

/** Navigates to an address of the product, which may have a query and a hash. */
export type Navigate = (to: string, options: { replace: boolean }) => Promise<void>;

/** The components of an identity provider. They read their data from its `Provider`. */
export interface IdentityProvider {
  /** Provides `AuthContext`. It is above the router and navigates by `navigate`. */
  Provider: ComponentType<{ navigate: Navigate; children: ReactNode }>;
  SignIn: ComponentType;
  /** The end of a sign-in in a window of its own; null if the provider has none. */
  SignedIn: ComponentType | null;
  Onboarding: ComponentType;
  /** `onDone` is called when the user has used an entry: the panel around the menu can close. */
  UserMenu: ComponentType<{ onDone?: () => void }>;
  OrganisationSwitcher: ComponentType;
  OrganisationProfile: ComponentType;
  /** The waitlist of the installation, for its administrator; null if the provider has its own. */
  Waitlist: ComponentType | null;
}

export const IdentityContext = createContext<IdentityProvider | null>(null);

/** The identity provider of this installation. */
export function useIdentity(): IdentityProvider {
  const identity = use(IdentityContext);
  if (identity === null) throw new Error('useIdentity needs an Identity above it');
  return identity;
}

export const AuthContext = createContext<Auth | null>(null);

export function useAuth(): Auth {
  const auth = use(AuthContext);
  if (auth === null) throw new Error('useAuth needs an identity provider above it');
  return auth;
}
