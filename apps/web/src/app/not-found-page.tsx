import { Link, useLocation } from 'react-router-dom';
import { paths } from '@/paths';
import { buttonVariants } from '@/ui/button-variants';
import { Message } from './message';

/** Paths that the server redirects, if the operator of the installation has set their targets. */
const redirects: readonly string[] = [paths.discord, paths.sponsor];

export function NotFoundPage() {
  const { pathname } = useLocation();
  return (
    <main className="grid min-h-dvh place-content-center">
      {redirects.includes(pathname) ? <NotSetUp /> : <NotFound />}
    </main>
  );
}

function NotSetUp() {
  return (
    <Message title="Not Set Up" actions={<HomeLink />}>
      <p className="text-muted">
        The operator of this installation has not set up an address for this link.
      </p>
    </Message>
  );
}

export function NotFound() {
  return (
    <Message title="Page Not Found" actions={<HomeLink />}>
      <p className="text-muted">
        Oops! The page you're looking for doesn't exist or has been moved.
      </p>
    </Message>
  );
}

function HomeLink() {
  return (
    <Link to={paths.landing} className={buttonVariants({ variant: 'primary' })}>
      Back to Home
    </Link>
  );
}
