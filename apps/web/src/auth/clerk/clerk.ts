import type { IdentityProvider } from '@/auth/auth';
import { OnboardingScreen } from './onboarding-screen';
import { OrganisationScreen } from './organisation-screen';
import { OrganisationSwitcher } from './organisation-switcher';
import { Provider } from './provider';
import { SignInScreen } from './sign-in-screen';
import { UserMenu } from './user-menu';

/** Clerk as the identity provider, with Clerk's components. */
export const clerk: IdentityProvider = {
  Provider,
  SignIn: SignInScreen,
  SignedIn: null,
  Onboarding: OnboardingScreen,
  UserMenu,
  OrganisationSwitcher,
  OrganisationProfile: OrganisationScreen,
  // Clerk's dashboard has the waitlist.
  Waitlist: null,
};
