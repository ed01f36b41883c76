import type { Configuration } from '@/api/types';

/** An installation with built-in sign-in and a mail server. */
export const configuration: Configuration = {
  identityProvider: 'built-in',
  clerkPublishableKey: null,
  signUp: 'open',
  mailServer: true,
  passwords: true,
  passkeys: true,
  signInProviders: [],
  firstAccount: false,
  discordUrl: null,
  sponsorUrl: null,
  version: '0.2.0',
};
