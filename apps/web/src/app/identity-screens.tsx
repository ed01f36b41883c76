import { useIdentity } from '@/auth/auth';
import { NotFound } from './not-found-page';

export function LoginScreen() {
  const { SignIn } = useIdentity();
  return <SignIn />;
}

export function SignedInScreen() {
  const { SignedIn } = useIdentity();
  return SignedIn === null ? <NotFound /> : <SignedIn />;
}

export function OnboardingScreen() {
  const { Onboarding } = useIdentity();
  return <Onboarding />;
}

export function OrganisationProfileScreen() {
  const { OrganisationProfile } = useIdentity();
  return <OrganisationProfile />;
}

export function WaitlistScreen() {
  const { Waitlist } = useIdentity();
  return Waitlist === null ? <NotFound /> : <Waitlist />;
}
