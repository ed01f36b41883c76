import { useLocation } from 'react-router-dom';
import { useConfiguration } from '@/api/configuration';

/** Why a sign-in with a provider failed, in words; null without a failure. */
export function useProviderFailure(): string | null {
  const query = new URLSearchParams(useLocation().search);
  const { signInProviders } = useConfiguration();
  const reason = query.get('signInError');
  if (reason === null) return null;
  const provider = signInProviders.find(({ id }) => id === query.get('provider'));
  return failureText(reason, provider?.name ?? 'the identity provider');
}

/** Addresses can be forged, so an address contains a code for the text, and never the text. */
function failureText(reason: string, name: string): string {
  switch (reason) {
    case 'expired':
      return 'The sign-in took too long or began in another browser. Please try again.';
    case 'refused':
      return `The sign-in was cancelled, or ${name} refused it.`;
    case 'provider-unavailable':
      return `Sign-in with ${name} is not possible at the moment. Please try again later.`;
    case 'invalid-response':
      return `The response of ${name} was not valid, so nobody was signed in. Please try again.`;
    case 'email-unverified':
      return `Sign-in with ${name} needs a mail address that it has verified.`;
    case 'foreign-domain':
      return 'Your mail address is not one of those that may sign in here.';
    case 'no-role':
      return `${name} gives you no role here. Ask an administrator for one.`;
    case 'another-person':
      return `Your mail address belongs to the account of another person of ${name}. Ask an administrator for help.`;
    case 'another-account':
      return `You signed in with ${name} as another person. Use the account with which you work here.`;
    case 'not-authenticated-now':
      return `${name} does not say when you signed in there, so it cannot confirm this change. Confirm it with a password or passkey of your account here, or sign out here and sign in again.`;
    case 'too-many':
      return 'Too many attempts. Please try again later.';
    case 'unknown-provider':
      return 'This identity provider is not set up here.';
    default:
      return 'The sign-in failed. Please try again.';
  }
}
