import { createContext, use, type ComponentType, type ReactNode } from 'react';
import type { GetToken } from '@/api/client';

export interface AuthUser {
  id: string;
  name: string;
  email: string;
}

export interface AuthOrganisation {
  id: string;
  name: string;
  role: 'admin' | 'member';
}

export type AuthState =
  | { status: 'loading' }
  | { status: 'signed-out' }
  | { status: 'signed-in'; user: AuthUser; organisation: AuthOrganisation | null };

export interface Auth {
  state: AuthState;
  /** The same function for as long as the page lives. */
  getToken: GetToken;
  signOut: () => Promise<void>;
}

/** Goes to one of the product's addresses, which may have a query and a hash. */
export type Navigate = (to: string, options: { replace: boolean }) => Promise<void>;

/** What an identity provider brings to the screens. Each is whole in itself and takes its data from its own provider. */
export interface IdentityProvider {
  /** Provides `AuthContext` to everything below it. It stands above the router, and is told how to go elsewhere. */
  Provider: ComponentType<{ navigate: Navigate; children: ReactNode }>;
  SignIn: ComponentType;
  Onboarding: ComponentType;
  UserMenu: ComponentType;
  OrganisationSwitcher: ComponentType;
  OrganisationProfile: ComponentType;
  /** Who waits for an account, for the installation's administrator; null where the provider keeps that elsewhere. */
  Waitlist: ComponentType | null;
}

export const IdentityContext = createContext<IdentityProvider | null>(null);

/** The pieces of the identity provider that this installation uses. */
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
