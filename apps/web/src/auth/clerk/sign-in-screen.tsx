import { SignIn, Waitlist } from '@clerk/clerk-react';
import { Link, useSearchParams } from 'react-router-dom';
import { paths } from '@/paths';
import { Logo } from '@/ui/logo';
import { usePageTitle } from '@/ui/use-page-title';
import { PanelPlaceholder } from './placeholders';

/** Query parameter that shows the waitlist on the sign-in page. */
const waitlistQuery = 'waitlist';

/** Addresses for Clerk beyond those of the screens. */
export const addresses = {
  waitlist: `${paths.login}?${waitlistQuery}`,
} as const;

/** The page at /login: always dark, with Clerk's widget in its centre. */
export function SignInScreen() {
  const [query] = useSearchParams();
  const isWaitlist = query.has(waitlistQuery);
  usePageTitle(isWaitlist ? 'Join the waitlist' : 'Sign in');

  return (
    <div
      data-theme="dark"
      className="grid min-h-dvh content-center justify-items-center gap-6 bg-canvas px-4 py-10 text-ink"
    >
      <Link to={paths.landing} aria-label="Allclear, home" className="rounded-md">
        <Logo />
      </Link>
      <main className="grid w-full max-w-md justify-items-center">
        {isWaitlist ? (
          <Waitlist signInUrl={paths.login} fallback={<PanelPlaceholder />} />
        ) : (
          // By the hash, because the product has no routes below /login.
          <SignIn routing="hash" withSignUp fallback={<PanelPlaceholder />} />
        )}
      </main>
    </div>
  );
}
