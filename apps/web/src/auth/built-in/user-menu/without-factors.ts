import type { SignInWays } from '@/auth/built-in/types';

/** Says how a user who removes the last second factor signs in from then on. */
export function withoutFactors({ password, providers }: SignInWays): string {
  if (password) return 'Your password alone is enough to sign in then.';
  const names = providers.map(({ name }) => name).join(' or ');
  return names === ''
    ? 'You have no password and no other way to sign in then. Set a password first.'
    : `You sign in with ${names} only then.`;
}
