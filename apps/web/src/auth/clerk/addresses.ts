import { paths } from '@/paths';

/** The sign-in page shows the way onto the waitlist instead. */
export const waitlistQuery = 'waitlist';

/** Addresses that Clerk is told, beyond the screens' own. */
export const addresses = {
  waitlist: `${paths.login}?${waitlistQuery}`,
} as const;
