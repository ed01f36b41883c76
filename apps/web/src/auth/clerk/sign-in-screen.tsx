import { SignIn, Waitlist } from '@clerk/clerk-react';
import { Link, useSearchParams } from 'react-router-dom';
import { paths } from '@/paths';
import { Logo } from '@/ui/logo';
import { usePageTitle } from '@/ui/use-page-title';
import { waitlistQuery } from './addresses';
import { PanelWaiting } from './waiting';

/** The page at /login: always dark, Clerk's widget in the middle of its whole height. */
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
          <Waitlist signInUrl={paths.login} fallback={<PanelWaiting />} />
        ) : (
          // By the hash: what follows /login is no route of the product.
          <SignIn routing="hash" withSignUp fallback={<PanelWaiting />} />
        )}
      </main>
    </div>
  );
}
