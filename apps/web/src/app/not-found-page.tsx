import { Link } from 'react-router-dom';
import { paths } from '@/paths';
import { buttonVariants } from '@/ui/button-variants';
import { Message } from './message';

export function NotFoundPage() {
  return (
    <main className="grid min-h-dvh place-content-center">
      <NotFound />
    </main>
  );
}

export function NotFound() {
  return (
    <Message
      title="Page Not Found"
      actions={
        <Link to={paths.landing} className={buttonVariants({ variant: 'primary' })}>
          Back to Home
        </Link>
      }
    >
      <p className="text-muted">
        Oops! The page you're looking for doesn't exist or has been moved.
      </p>
    </Message>
  );
}
