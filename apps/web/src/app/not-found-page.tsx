import { Link } from 'react-router-dom';
import { paths } from '@/paths';
import { buttonVariants } from '@/ui/button-variants';
import { LogoMark } from '@/ui/logo';

export function NotFoundPage() {
  return (
    <main className="grid min-h-dvh place-content-center justify-items-center gap-4 p-6 text-center">
      <LogoMark className="size-10" />
      <h1 className="text-2xl font-semibold">Page Not Found</h1>
      <p className="text-muted">
        Oops! The page you're looking for doesn't exist or has been moved.
      </p>
      <Link to={paths.landing} className={buttonVariants({ variant: 'primary' })}>
        Back to Home
      </Link>
    </main>
  );
}
