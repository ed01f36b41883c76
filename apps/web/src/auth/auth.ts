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
  getToken: GetToken;
  signOut: () => Promise<void>;
}

/** What an identity provider brings to the screens. Each is whole in itself and takes its data from its own provider. */
export interface IdentityProvider {
  /** Provides `AuthContext` to everything below it. */
  Provider: ComponentType<{ children: ReactNode }>;
  SignIn: ComponentType;
  Onboarding: ComponentType;
  UserMenu: ComponentType;
  OrganisationSwitcher: ComponentType;
  OrganisationProfile: ComponentType;
}

export const AuthContext = createContext<Auth | null>(null);

export function useAuth(): Auth {
  const auth = use(AuthContext);
  if (auth === null) throw new Error('useAuth needs an identity provider above it');
  return auth;
}
