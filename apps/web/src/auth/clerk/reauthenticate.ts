import type { useClerk } from '@clerk/clerk-react';

type Clerk = ReturnType<typeof useClerk>;

/**
 * Opens Clerk's own dialog, and renews the token, which says when the user verified the password.
 */
export function reauthenticate(clerk: Clerk): Promise<boolean> {
  return new Promise((resolve) => {
    clerk.__internal_openReverification({
      level: 'first_factor',
      afterVerification: () => {
        const renewed = clerk.session?.getToken({ skipCache: true }) ?? Promise.resolve(null);
        renewed.then(
          (token) => resolve(token !== null),
          () => resolve(false),
        );
      },
      afterVerificationCancelled: () => resolve(false),
    });
  });
}
