import type { IdentityProvider } from '@/auth/auth';
import { OnboardingScreen } from './onboarding/onboarding-screen';
import { OrganisationScreen } from './organisation/organisation-screen';
import { OrganisationSwitcher } from './organisation/organisation-switcher';
import { Provider } from './provider';
import { SignInScreen } from './sign-in/sign-in-screen';
import { SignedInScreen } from './sign-in/signed-in-screen';
import { UserMenu } from './user-menu/user-menu';
import { WaitlistScreen } from './waitlist/waitlist-screen';

/** The identity provider that comes with the server. */
export const builtIn: IdentityProvider = {
  Provider,
  SignIn: SignInScreen,
  SignedIn: SignedInScreen,
  Onboarding: OnboardingScreen,
  UserMenu,
  OrganisationSwitcher,
  OrganisationProfile: OrganisationScreen,
  Waitlist: WaitlistScreen,
};
